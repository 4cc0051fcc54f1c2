import { type FormEvent, useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Input } from '../../components/input.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type Entry, titleOf, useBookChange } from './book.ts'

const LABEL_MAX = 255

/** Edits a label in place: Enter saves, Escape cancels. */
export function LabelCell({ entry }: { entry: Entry }) {
  const [typed, setTyped] = useState<string | null>(null)
  const change = useBookChange()
  const work = useWork()
  if (typed === null) {
    const name = t('Change the label of {name}', { name: titleOf(entry) })
    return (
      <Button
        size="sm"
        look="ghost"
        className="-mx-2 max-w-64 justify-start"
        aria-label={entry.label ? name : `${name}: ${t('no label')}`}
        onClick={() => setTyped(entry.label)}
      >
        {entry.label ? (
          <span className="truncate font-medium">{entry.label}</span>
        ) : (
          <span className="text-muted">{t('no label')}</span>
        )}
        <svg aria-hidden viewBox="0 0 16 16" className="size-3.5 shrink-0 fill-none stroke-muted stroke-[1.4]">
          <path d="m3 13 .6-2.8 7-7 2.2 2.2-7 7zM9.4 4.4l2.2 2.2" />
        </svg>
      </Button>
    )
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const body = { label: typed.trim() }
    const params = { address: entry.address }
    const isDone = await work.run(() =>
      change((account) => writeV1('PATCH', account, '/v1/addressbook/:address', { params, body })),
    )
    if (isDone) setTyped(null)
  }
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-1">
      <span className="flex items-center gap-1">
        <Input
          autoFocus
          aria-label={t('Label')}
          maxLength={LABEL_MAX}
          className="w-48"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setTyped(null)}
        />
        <Button type="submit" size="sm" busy={work.busy}>
          {t('Save')}
        </Button>
      </span>
      <Failure text={work.error} />
    </form>
  )
}
