import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { renew, useAccount } from '../../api/queries.ts'
import type { KeyView, NewKey } from '../../api/types.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { GraceField } from '../../components/grace-field.tsx'
import { Input } from '../../components/input.tsx'
import { NameField } from '../../components/name-field.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { NewKeyView } from './new-key-view.tsx'

type KeyDialogProps = { apiKey: KeyView; onClose: () => void }

function useKeyChange() {
  const { id: account } = useAccount()
  return async <T,>(change: (account: string) => Promise<T>): Promise<T> => {
    const answer = await change(account)
    await renew(account, '/keys')
    return answer
  }
}

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [made, setMade] = useState<NewKey | null>(null)
  const change = useKeyChange()
  const work = useWork()
  if (made) return <NewKeyView made={made} onClose={onClose} />
  return (
    <FormDialog
      title={t('Create a key')}
      submit={t('Create')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { name: name.trim() }
        setMade(await change((account) => ask('POST', '/accounts/:account/keys', { params: { account }, body })))
      }}
    >
      <NameField
        label={t('Name')}
        max={100}
        name={name}
        onChange={setName}
        hint={t('The application that will use it, e.g. “accounting export”.')}
      />
    </FormDialog>
  )
}

export function RenameKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [name, setName] = useState(apiKey.name)
  const change = useKeyChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Rename {name}', { name: apiKey.name })}
      submit={t('Rename')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { name: name.trim() }
        await change((account) =>
          ask('PATCH', '/accounts/:account/keys/:id', { params: { account, id: apiKey.id }, body }),
        )
        onClose()
      }}
    >
      <NameField label={t('Name')} max={100} name={name} onChange={setName} />
    </FormDialog>
  )
}

const HOURS = [0, 1, 24] as const

export function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [graceHours, setGraceHours] = useState<(typeof HOURS)[number]>(24)
  const [made, setMade] = useState<NewKey | null>(null)
  const change = useKeyChange()
  const work = useWork()
  if (made) return <NewKeyView made={made} onClose={onClose} />
  return (
    <FormDialog
      title={t('Rotate {name}', { name: apiKey.name })}
      submit={t('Rotate')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { graceHours }
        setMade(
          await change((account) =>
            ask('POST', '/accounts/:account/keys/:id/rotate', { params: { account, id: apiKey.id }, body }),
          ),
        )
      }}
    >
      <p className="text-sm text-muted">{t('A new key with the same name replaces it.')}</p>
      <GraceField label={t('The old key ends')} hours={HOURS} value={graceHours} onChoose={setGraceHours} />
    </FormDialog>
  )
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [typed, setTyped] = useState('')
  const change = useKeyChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Revoke {name}', { name: apiKey.name })}
      submit={t('Revoke')}
      isReady={typed === apiKey.name}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) => ask('DELETE', '/accounts/:account/keys/:id', { params: { account, id: apiKey.id } }))
        onClose()
      }}
    >
      <p className="text-sm text-muted">{t('Calls with this key fail from now on. That cannot be undone.')}</p>
      <Field label={t('Type the name of the key to continue: {name}', { name: apiKey.name })}>
        {(control) => (
          <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  )
}
