import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useLive } from '../api/live.ts'
import { useSession } from '../api/queries.ts'
import { Dialog } from '../components/dialog.tsx'
import { t } from '../lib/i18n.ts'
import { lazyPart } from '../lib/parts.ts'
import { Sidebar, useCurrentAccount } from './sidebar.tsx'

const CommandPalette = lazyPart(() => import('./command-palette.tsx'), 'CommandPalette')

/** Frame of all screens behind the sign-in; the navigation is a drawer in narrow windows. */
export function Shell() {
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes what was open over the last one.
  useEffect(() => {
    setDrawerOpen(false)
    setPaletteOpen(false)
  }, [path])
  usePaletteKey(() => setPaletteOpen(true))
  useLive(useCurrentAccount(useSession()))
  const sidebar = <Sidebar onSearch={() => setPaletteOpen(true)} />
  return (
    <div className="lg:grid lg:grid-cols-[15rem_1fr]">
      <a
        href="#main"
        className="sr-only rounded-md bg-accent px-3 py-2 text-sm text-accent-ink focus:not-sr-only focus:fixed focus:start-2 focus:top-2 focus:z-50"
      >
        {t('Skip to content')}
      </a>
      <header className="sticky top-0 hidden h-dvh border-e border-line bg-surface p-3 lg:block">{sidebar}</header>
      <header className="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-surface px-3 py-2 lg:hidden">
        <IconButton
          name={t('Open navigation')}
          onClick={() => setDrawerOpen(true)}
          path="M2.5 4.5h11m-11 3.5h11m-11 3.5h11"
        />
        <span className="flex-1 font-semibold">Coffer</span>
        <IconButton
          name={t('Search')}
          onClick={() => setPaletteOpen(true)}
          path="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9m3.3 7.8 3.2 3.2"
        />
      </header>
      <Dialog side open={isDrawerOpen} title="Coffer" onClose={() => setDrawerOpen(false)}>
        {sidebar}
      </Dialog>
      <main id="main" tabIndex={-1} className="min-w-0 p-3 outline-none sm:p-6">
        <Outlet />
      </main>
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Ctrl-K or ⌘K. */
function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}

function IconButton({ name, onClick, path }: { name: string; onClick: () => void; path: string }) {
  return (
    <button
      type="button"
      aria-label={name}
      onClick={onClick}
      className="grid size-9 place-items-center rounded-md hover:bg-sunken"
    >
      <svg aria-hidden viewBox="0 0 16 16" className="size-5 fill-none stroke-current stroke-[1.5]">
        <path d={path} />
      </svg>
    </button>
  )
}
