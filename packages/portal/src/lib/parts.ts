import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { outageOver, outageUnderWay, probe } from './connection.ts'
import { t } from './i18n.ts'

const KEY = 'coffer-replaced'

/** A part of the application failed to load. `needsReload`: Chromium does not request a failed script again. */
export class PartError extends Error {
  readonly needsReload: boolean

  constructor(cause: unknown, needsReload: boolean) {
    super(t('This part of the page could not be loaded.'), { cause })
    this.needsReload = needsReload
  }
}

let failedInOutage = false

/** Loads a part of the application; waits during an outage. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  await outageUnderWay()
  try {
    return await load()
  } catch (cause) {
    if (!(await outageOver())) throw new PartError(cause, failedInOutage)
    failedInOutage = true
    return loadPart(load)
  }
}

export const lazyPart = <P, K extends string>(
  load: () => Promise<{ [key in K]: ComponentType<P> }>,
  name: K,
): LazyExoticComponent<ComponentType<P>> => lazy(async () => ({ default: (await loadPart(load))[name] }))

/**
 * Reloads the page when a part fails to load because another build has replaced the page's own. Once per build: a later
 * failure is an ordinary error. `entry`: URL of the page's script.
 */
export function followBuilds(entry: string): void {
  const { pathname } = new URL(entry)
  addEventListener('vite:preloadError', () => {
    if (sessionStorage.getItem(KEY) === pathname) return
    void probe().then((page) => {
      if (page === undefined || page.includes(pathname)) return
      sessionStorage.setItem(KEY, pathname)
      location.reload()
    })
  })
}
