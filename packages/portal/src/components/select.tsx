import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

type Choice<V extends string> = { value: V; label: string }

type SelectProps<V extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> & {
  value: V
  choices: readonly Choice<V>[]
  onChoose: (value: V) => void
}

/** The native control, which keyboards, screen readers and phones support best. */
export function Select<V extends string>({ value, choices, onChoose, className = '', ...rest }: SelectProps<V>) {
  return (
    <select
      {...rest}
      value={value}
      onChange={(event) => onChoose(event.target.value as V)}
      className={`${controlClass} ${className}`}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}
