import { useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input, TextArea } from '../../components/input.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { useBookChange } from './book.ts'
import { inBatches, readEntries } from './read-entries.ts'

/** More than any person's address book; a file of this size is read at once. */
const FILE_MAX = 2_000_000

export function AddDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const change = useBookChange()
  const work = useWork()
  const { entries, refused } = readEntries(text)
  const [first] = refused
  return (
    <FormDialog
      title={t('Add addresses')}
      submit={t('{n, plural, =0 {Save} one {Save # address} other {Save # addresses}}', { n: entries.length })}
      isReady={entries.length > 0 && refused.length === 0}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change(async (account) => {
          for (const batch of inBatches(entries)) {
            await writeV1('POST', account, '/v1/addressbook', { body: { entries: batch } })
          }
        })
        onClose()
      }}
    >
      <Field
        label={t('Addresses')}
        hint={t(
          'One per line, with its label after a comma: 0x1234…, Treasury. An address that is already saved keeps its label.',
        )}
        error={
          first
            ? t(
                '{n, plural, one {# line begins} other {# lines begin}} with no address; the first is line {line}: {text}',
                {
                  n: refused.length,
                  line: String(first.line),
                  text: first.text.slice(0, 60),
                },
              )
            : null
        }
      >
        {(control) => (
          <TextArea
            {...control}
            rows={7}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[0.8125rem]"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('Or from a CSV file')} hint={t('Columns: address, label.')}>
        {(control) => (
          <Input
            {...control}
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            className="py-1.5"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file) void work.run(async () => setText(await textOf(file)))
            }}
          />
        )}
      </Field>
    </FormDialog>
  )
}

async function textOf(file: File): Promise<string> {
  if (file.size > FILE_MAX) throw new Error(t('The file is larger than 2 MB.'))
  return file.text()
}
