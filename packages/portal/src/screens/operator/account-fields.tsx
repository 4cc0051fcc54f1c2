import { Field } from '../../components/field.tsx'
import { Checkbox, Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n.ts'
import type { Account } from './queries.ts'

const PLANS = ['FREE', 'LITE', 'PRO'] as const satisfies readonly Account['plan'][]
type Entitlement = Account['entitlements'][number]
const ENTITLEMENTS = ['portfolio', 'beacon'] as const satisfies readonly Entitlement[]

export type AccountAccess = Pick<Account, 'plan' | 'entitlements'>
type AccessFieldsProps = { access: AccountAccess; onChange: (access: AccountAccess) => void }

/** Plan of an account, and entitlements beyond it. */
export function AccessFields({ access, onChange }: AccessFieldsProps) {
  const { plan, entitlements } = access
  const toggle = (one: Entitlement, isOn: boolean) => {
    const others = entitlements.filter((other) => other !== one)
    onChange({ plan, entitlements: isOn ? [...others, one] : others })
  }
  return (
    <>
      <Field label={t('Plan')}>
        {(control) => (
          <Select
            {...control}
            value={plan}
            choices={PLANS.map((value) => ({ value, label: value }))}
            onChoose={(value) => onChange({ plan: value, entitlements })}
          />
        )}
      </Field>
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
        <legend className="mb-1 text-sm font-medium">{t('May use')}</legend>
        {ENTITLEMENTS.map((one) => (
          <Checkbox
            key={one}
            label={one}
            checked={entitlements.includes(one)}
            onChange={(event) => toggle(one, event.target.checked)}
          />
        ))}
      </fieldset>
    </>
  )
}

type CountFieldProps = {
  label: string
  hint?: string
  /** Null if nothing was entered. */
  count: number | null
  min?: number
  required?: boolean
  placeholder?: string
  onChange: (count: number | null) => void
}

export function CountField({ label, hint, count, min = 1, onChange, ...rest }: CountFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          {...rest}
          type="number"
          inputMode="numeric"
          min={min}
          step={1}
          value={count ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
        />
      )}
    </Field>
  )
}

/** Required, one line. */
export function TextField({
  label,
  hint,
  text,
  onChange,
}: {
  label: string
  hint?: string
  text: string
  onChange: (text: string) => void
}) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          required
          maxLength={255}
          autoComplete="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
