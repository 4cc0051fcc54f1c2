const KEY = 'coffer-replaced'

/**
 * Loads the page anew when a part of it cannot be loaded and another build has taken the place of its own, whose parts are
 * gone. Once a build: a part that fails after that is an error like others. `entry`: the URL of the page's script.
 */
export function followBuilds(entry: string): void {
  const { pathname } = new URL(entry)
  addEventListener('vite:preloadError', () => {
    if (sessionStorage.getItem(KEY) === pathname) return
    // Without an answer it is an outage, which a page that is loaded anew would not survive.
    void isReplaced(pathname).then(
      (replaced) => {
        if (!replaced) return
        sessionStorage.setItem(KEY, pathname)
        location.reload()
      },
      () => undefined,
    )
  })
}

async function isReplaced(pathname: string): Promise<boolean> {
  // biome-ignore lint/style/noRestrictedGlobals: the page is no answer of the portal's door.
  const response = await fetch('/', { cache: 'no-store' })
  return response.ok && !(await response.text()).includes(pathname)
}
