import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { NameField } from '../../components/name-field.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { useUserChange, type VirtualUser } from './users.ts'

type OfUser = { user: VirtualUser; onClose: () => void }

export function CreateUserDialog({
  onCreated,
  onClose,
}: {
  onCreated: (user: VirtualUser) => void
  onClose: () => void
}) {
  const [label, setLabel] = useState('')
  const [type, setType] = useState<VirtualUser['type']>('BALANCE')
  const change = useUserChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Create a virtual user')}
      submit={t('Create')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { type, label: label.trim() }
        const made = await change((account) =>
          ask('POST', '/accounts/:account/virtual-users', { params: { account }, body }),
        )
        onClose()
        onCreated(made)
      }}
    >
      <NameField label={t('Label')} max={255} name={label} onChange={setLabel} />
      <Field label={t('Kind')} hint={t('You cannot change this later.')}>
        {(control) => (
          <Select
            {...control}
            value={type}
            choices={[
              { value: 'BALANCE', label: t('Manual balances') },
              { value: 'CEX', label: t('Exchange account') },
            ]}
            onChoose={setType}
          />
        )}
      </Field>
    </FormDialog>
  )
}

export function RenameUserDialog({ user, onClose }: OfUser) {
  const [label, setLabel] = useState(user.label)
  const change = useUserChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Rename {name}', { name: user.label })}
      submit={t('Rename')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { label: label.trim() }
        await change((account) =>
          ask('PATCH', '/accounts/:account/virtual-users/:id', { params: { account, id: user.id }, body }),
        )
        onClose()
      }}
    >
      <NameField label={t('Label')} max={255} name={label} onChange={setLabel} />
    </FormDialog>
  )
}

export function RemoveUserDialog({ user, onClose }: OfUser) {
  const [typed, setTyped] = useState('')
  const change = useUserChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Remove {name}', { name: user.label })}
      submit={t('Remove')}
      isReady={typed === user.label}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) =>
          ask('DELETE', '/accounts/:account/virtual-users/:id', { params: { account, id: user.id } }),
        )
        onClose()
      }}
    >
      <p className="text-sm text-muted">
        {t('This also removes its balances, their history and its credentials. It cannot be undone.')}
      </p>
      <Field label={t('Type its label to continue: {name}', { name: user.label })}>
        {(control) => (
          <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  )
}
