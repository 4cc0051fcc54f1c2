import type { ReactNode } from 'react'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

type NameFieldProps = {
  label: string
  hint?: ReactNode
  /** Characters that the service accepts. */
  max: number
  name: string
  onChange: (name: string) => void
}

export function NameField({ label, hint, max, name, onChange }: NameFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          required
          maxLength={max}
          autoComplete="off"
          value={name}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
