import type { ReactNode } from 'react'

type CardProps = { title?: string; aside?: ReactNode; children: ReactNode; className?: string }

/** A box with an optional title and something at the title's far end. */
export function Card({ title, aside, children, className = '' }: CardProps) {
  return (
    <section className={`min-w-0 rounded-lg border border-line bg-surface p-4 ${className}`}>
      {(title || aside) && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          {title && <h2 className="text-sm font-semibold">{title}</h2>}
          {aside}
        </div>
      )}
      {children}
    </section>
  )
}
