import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { AccessFields, type AccountAccess, CountField, TextField } from './account-fields.tsx'
import { renewAccounts } from './queries.ts'

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [access, setAccess] = useState<AccountAccess>({ plan: 'FREE', entitlements: [] })
  const [credits, setCredits] = useState<number | null>(0)
  const work = useWork()
  return (
    <FormDialog
      title={t('Create an account')}
      submit={t('Create')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { name: name.trim(), ...access, credits: credits ?? 0 }
        await ask('POST', '/operator/accounts', { body })
        await renewAccounts()
        onClose()
      }}
    >
      <TextField label={t('Name')} text={name} onChange={setName} />
      <AccessFields access={access} onChange={setAccess} />
      <CountField required label={t('Credits')} min={0} count={credits} onChange={setCredits} />
    </FormDialog>
  )
}
