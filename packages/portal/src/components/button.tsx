import type { ComponentProps, ReactNode } from 'react'

const looks = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-strong border-transparent',
  secondary: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  ghost: 'bg-transparent text-ink border-transparent hover:bg-sunken',
  danger: 'bg-surface text-bad border-bad hover:bg-bad-soft',
} as const

const sizes = { sm: 'min-h-7 px-2 text-[0.8125rem]', md: 'min-h-9 px-3.5 text-sm' } as const

export type ButtonLook = { look?: keyof typeof looks; size?: keyof typeof sizes }

/** For links that look like a button. */
export const buttonClass = ({ look = 'secondary', size = 'md' }: ButtonLook = {}): string =>
  `inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap disabled:opacity-60 ${looks[look]} ${sizes[size]}`

/** `busy` prevents a second press while work runs, and shows it. */
export function Button({
  look,
  size,
  busy = false,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & ButtonLook & { busy?: boolean; children: ReactNode }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass({ ...(look && { look }), ...(size && { size }) })} ${className}`}
    >
      {busy && (
        <span aria-hidden className="size-3.5 animate-spin rounded-full border-2 border-current border-t-transparent" />
      )}
      {children}
    </button>
  )
}
