import { type ReactNode, useEffect } from 'react'

type PageProps = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

/** The title is also the window's; `lead` is a line about the screen. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Coffer`
  }, [title])
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] content-start gap-5">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead && <p className="mt-0.5 text-sm text-muted">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
