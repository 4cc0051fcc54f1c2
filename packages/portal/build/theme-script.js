// Sets the theme that was chosen, or the system's, before anything is painted. src/lib/theme.ts writes the choice.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('coffer.theme')
  } catch {
    // Storage is refused: the system's theme then.
  }
  const dark = choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.classList.add(dark ? 'dark' : 'light')
})()
