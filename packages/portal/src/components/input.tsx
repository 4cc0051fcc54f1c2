import type { ComponentProps } from 'react'

export const controlClass =
  'w-full min-h-9 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad'

export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={`${controlClass} ${className}`} />
}

export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={`${controlClass} py-2 ${className}`} />
}

export function Checkbox({ label, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <label className="inline-flex min-h-7 items-center gap-2 text-sm">
      <input type="checkbox" {...rest} className="size-4 accent-accent" />
      {label}
    </label>
  )
}
