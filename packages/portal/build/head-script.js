// Runs before anything is painted or loaded: sets the theme, and asks for what the page needs besides the frame, which
// would only ask for it once it runs itself. The build knows of each screen its scripts and what it reads first
// (head-script-plugin.ts).
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

  const [first, account, third] = location.pathname.split('/').slice(1)
  const screen = screens[(first === 'a' ? third : first) || 'overview']
  for (const href of screen?.scripts ?? []) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
  }
  if (!screen || screen.isPublic) return
  const ofAccount = first === 'a' ? screen.reads.map((path) => `/accounts/${account}${path}`) : []
  // biome-ignore lint/style/noRestrictedGlobals: there is nothing else yet. A failure is met by the call that comes for it.
  const ask = (path) => [`/portal/api${path}`, fetch(`/portal/api${path}`).catch(() => undefined)]
  globalThis.early = Object.fromEntries(['/session', ...ofAccount].map(ask))
})()
