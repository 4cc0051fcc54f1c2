// Runs before anything is painted or loaded: sets the theme, and asks for what the page needs besides the frame, which
// would only ask for it once it runs itself. The build knows the scripts of each screen (head-script-plugin.ts).
;(() => {
  const screens = {}
  let choice = null
  try {
    choice = localStorage.getItem('coffer.theme')
  } catch {
    // Storage is refused: the system's theme then.
  }
  const dark = choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.classList.add(dark ? 'dark' : 'light')

  const [first, , third] = location.pathname.split('/').slice(1)
  for (const href of screens[(first === 'a' ? third : first) || 'overview'] ?? []) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
  }
  if (first === 'sign-in' || first === 'link') return
  const session = '/portal/api/session'
  // biome-ignore lint/style/noRestrictedGlobals: there is nothing else yet. A failure is met by the call that is made when it is needed.
  globalThis.early = { [session]: fetch(session).catch(() => undefined) }
})()
