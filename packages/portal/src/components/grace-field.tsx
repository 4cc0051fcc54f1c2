import { t } from '../lib/i18n.ts'
import { Field } from './field.tsx'
import { Select } from './select.tsx'

type GraceFieldProps<H extends number> = {
  label: string
  hours: readonly H[]
  value: H
  onChoose: (hours: H) => void
}

/** Hours until the replaced item ends. */
export function GraceField<H extends number>({ label, hours, value, onChoose }: GraceFieldProps<H>) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={String(value)}
          choices={hours.map((n) => ({
            value: String(n),
            label: t('{n, plural, =0 {immediately} one {after # hour} other {after # hours}}', { n }),
          }))}
          onChoose={(chosen) => onChoose(hours.find((n) => String(n) === chosen) ?? value)}
        />
      )}
    </Field>
  )
}
