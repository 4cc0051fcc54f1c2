import type { ReactNode } from 'react'

type CardProps = { title?: string; aside?: ReactNode; children: ReactNode; className?: string }

/** `aside` stands at the far end of the title. */
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
