import { Link } from '@tanstack/react-router'
import { useId, useRef } from 'react'
import { ask } from '../api/ask.ts'
import { popupClass } from '../components/popup.ts'
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language, t } from '../lib/i18n.ts'
import { useTheme } from '../lib/theme.ts'

const lineClass = 'block w-full rounded px-2 py-1.5 text-start text-sm hover:bg-sunken'

/** Security, theme, language, reference and sign-out. The native popover closes by itself. */
export function UserMenu({ name }: { name: string }) {
  const id = useId()
  const anchor = `--${id}`
  const panel = useRef<HTMLDivElement>(null)
  const { theme, toggle } = useTheme()
  return (
    <div className="relative border-t border-line pt-2">
      <button
        type="button"
        popoverTarget={id}
        style={{ anchorName: anchor } as React.CSSProperties}
        className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-sunken"
      >
        <span
          aria-hidden
          className="grid size-6 place-items-center rounded-full bg-accent text-xs font-semibold text-accent-ink uppercase"
        >
          {name.slice(0, 1)}
        </span>
        <span className="min-w-0 flex-1 truncate text-start">{name}</span>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={`${popupClass} inset-auto m-0 w-56 border p-1`}
        style={{ positionAnchor: anchor, positionArea: 'top span-right' } as React.CSSProperties}
      >
        <Link to="/me" className={lineClass} onClick={() => panel.current?.hidePopover()}>
          {t('Security and sessions')}
        </Link>
        <button type="button" className={lineClass} onClick={toggle}>
          {theme === 'dark' ? t('Light theme') : t('Dark theme')}
        </button>
        {otherLanguages().map((language) => (
          <button
            key={language}
            type="button"
            lang={language}
            className={lineClass}
            onClick={() => chooseLanguage(language)}
          >
            {LANGUAGES[language]}
          </button>
        ))}
        <a href="/docs/" className={lineClass}>
          {t('Documentation')}
        </a>
        <button type="button" className={lineClass} onClick={() => void signOut()}>
          {t('Sign out')}
        </button>
      </div>
    </div>
  )
}

const otherLanguages = (): Language[] =>
  (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== chosenLanguage())

/** Reloads the page, so that nothing of the session stays in it. */
async function signOut(): Promise<void> {
  await ask('POST', '/sign-out', { body: {} })
  location.assign('/sign-in')
}
