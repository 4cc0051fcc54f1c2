import { type ReactNode, useEffect } from 'react'
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from '../lib/i18n.ts'

/** Page before the sign-in. */
export function Entrance({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Coffer`
  }, [title])
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-4 p-4">
      <div className="w-full max-w-sm rounded-lg border border-line bg-surface p-5 sm:p-7">
        <p className="mb-5 text-sm font-semibold tracking-tight text-accent">Coffer</p>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {lead && <p className="mt-1 text-sm text-muted">{lead}</p>}
        <div className="mt-5 grid gap-4">{children}</div>
      </div>
      <p className="flex gap-3 text-sm text-muted">
        {(Object.keys(LANGUAGES) as Language[]).map((language) => (
          <button
            key={language}
            type="button"
            lang={language}
            aria-pressed={language === chosenLanguage()}
            onClick={() => chooseLanguage(language)}
            className="rounded px-1 py-0.5 hover:underline aria-pressed:text-ink"
          >
            {LANGUAGES[language]}
          </button>
        ))}
      </p>
    </main>
  )
}
