import { useNavigate, useRouterState } from '@tanstack/react-router'

/** Values of a page's search by name. */
export type SearchTexts = Readonly<Record<string, string>>

/** The search of the page's address as texts: the router would make numbers of digits, and drop those that a double cannot hold. */
export function useSearchTexts(): SearchTexts {
  return readSearch(useRouterState({ select: ({ location }) => location.searchStr }))
}

export function readSearch(search: string): SearchTexts {
  return Object.fromEntries([...new URLSearchParams(search)].map(([name, value]) => [name, unquoted(value)]))
}

/** The router writes texts that look like JSON in quotes. */
function unquoted(value: string): string {
  if (!/^".*"$/.test(value)) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value
  }
}

type Change = (changes: Readonly<Record<string, string | undefined>>) => void

/** Changes values of the page's search; what is undefined or empty is taken out. With `replace` there is no way back to the last ones. */
export function useSearchChange({ replace = false }: { replace?: boolean } = {}): Change {
  const navigate = useNavigate()
  const texts = useSearchTexts()
  return (changes) => {
    const search = Object.entries({ ...texts, ...changes }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(search) as never, replace, resetScroll: false })
  }
}

/** What a screen keeps in the page's search, such as which tab is chosen, and a way to replace some of it. */
export function useSearchState<Name extends string>(): [
  texts: Readonly<Partial<Record<Name, string>>>,
  put: (changes: Partial<Record<Name, string>>) => void,
] {
  return [useSearchTexts() as Partial<Record<Name, string>>, useSearchChange({ replace: true })]
}
