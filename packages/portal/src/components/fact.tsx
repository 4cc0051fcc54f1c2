import type { ReactNode } from 'react'

export function Fact({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="mt-0.5 text-lg font-semibold tabular-nums [&_time]:whitespace-normal">{value}</dd>
      {note && <dd className="text-xs text-muted">{note}</dd>}
    </div>
  )
}

/**
 * A fact on one line after its name; `isWide` spans two columns. A list sets one width for all names:
 * `[--fact-name:7rem]`.
 */
export function FactLine({ name, isWide = false, children }: { name: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div
      className={`grid grid-cols-[var(--fact-name,auto)_minmax(0,1fr)] items-baseline gap-x-2 ${isWide ? 'sm:col-span-2' : ''}`}
    >
      <dt className="text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2">{children}</dd>
    </div>
  )
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3">{children}</dl>
}
