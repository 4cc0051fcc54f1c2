import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'

/** build/head-script.js reads it before the first paint. */
const STORED = 'coffer.theme'

const current = (): Theme => (document.documentElement.classList.contains('dark') ? 'dark' : 'light')

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => observer.disconnect()
}

export function useTheme(): { theme: Theme; toggle: () => void } {
  const theme = useSyncExternalStore(subscribe, current)
  return { theme, toggle: () => choose(theme === 'dark' ? 'light' : 'dark') }
}

function choose(theme: Theme): void {
  const { classList } = document.documentElement
  classList.remove('light', 'dark')
  classList.add(theme)
  localStorage.setItem(STORED, theme)
}
