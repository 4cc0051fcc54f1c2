import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { AccessFields, CountField } from './account-fields.tsx'
import { type Account, renewAccounts } from './queries.ts'

const METHODS = ['AVG', 'FIFO', 'LIFO', 'HIFO'] as const satisfies readonly Account['costMethod'][]

export function ChangeDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const [access, setAccess] = useState({ plan: account.plan, entitlements: account.entitlements })
  const [costMethod, setCostMethod] = useState(account.costMethod)
  const [quotas, setQuotas] = useState(account.quotas)
  const [rateLimits, setRateLimits] = useState(account.rateLimits)
  const work = useWork()
  return (
    <FormDialog
      title={t('Plan and limits of {name}', { name: account.name })}
      submit={t('Change')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { ...access, costMethod, quotas, rateLimits }
        await ask('PATCH', '/operator/accounts/:id', { params: { id: account.id }, body })
        await renewAccounts()
        onClose()
      }}
    >
      <AccessFields access={access} onChange={setAccess} />
      <Field label={t('Cost method')}>
        {(control) => (
          <Select
            {...control}
            value={costMethod}
            choices={METHODS.map((value) => ({ value, label: value }))}
            onChoose={setCostMethod}
          />
        )}
      </Field>
      <Limits title={t('Quotas')} limits={quotas} names={quotaNames()} onChange={setQuotas} />
      <Limits title={t('Calls a minute')} limits={rateLimits} names={rateNames()} onChange={setRateLimits} />
      <p className="text-sm text-muted">
        {t('Leave empty to use the limit of the plan or the service. Takes effect within five seconds.')}
      </p>
    </FormDialog>
  )
}

const quotaNames = () => ({
  addressBook: t('Saved addresses'),
  bundles: t('Bundles'),
  bundleSize: t('Size of a bundle'),
})
const rateNames = () => ({ default: t('All others'), portfolio: t('Portfolio'), beacon: t('Validators') })

type LimitsProps<Name extends string> = {
  title: string
  limits: Readonly<Record<Name, number | null>>
  names: Readonly<Record<Name, string>>
  onChange: (limits: Record<Name, number | null>) => void
}

function Limits<Name extends string>({ title, limits, names, onChange }: LimitsProps<Name>) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{title}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {(Object.keys(names) as Name[]).map((name) => (
          <CountField
            key={name}
            label={names[name]}
            placeholder={t('as in the plan')}
            count={limits[name]}
            onChange={(limit) => onChange({ ...limits, [name]: limit })}
          />
        ))}
      </div>
    </fieldset>
  )
}
