import { useNavigate, useRouterState } from '@tanstack/react-router'

/** URL search parameters by name. */
export type SearchTexts = Readonly<Record<string, string>>

/** Reads them as text: the router would turn digits into numbers and drop those that a double cannot hold. */
export function useSearchTexts(): SearchTexts {
  return readSearch(useRouterState({ select: ({ location }) => location.searchStr }))
}

export function readSearch(search: string): SearchTexts {
  return Object.fromEntries([...new URLSearchParams(search)].map(([name, value]) => [name, unquoted(value)]))
}

/** The router quotes texts that look like JSON. */
function unquoted(value: string): string {
  if (!/^".*"$/.test(value)) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value
  }
}

type Change = (changes: Readonly<Record<string, string | undefined>>) => void

/**
 * Changes URL search parameters; removes undefined and empty ones. `replace` leaves no way back to the previous ones.
 */
export function useSearchChange({ replace = false }: { replace?: boolean } = {}): Change {
  const navigate = useNavigate()
  const texts = useSearchTexts()
  return (changes) => {
    const search = Object.entries({ ...texts, ...changes }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(search) as never, replace, resetScroll: false })
  }
}

/** Screen state in the URL, such as the chosen tab. */
export function useSearchState<Name extends string>(): [
  texts: Readonly<Partial<Record<Name, string>>>,
  put: (changes: Partial<Record<Name, string>>) => void,
] {
  return [useSearchTexts() as Partial<Record<Name, string>>, useSearchChange({ replace: true })]
}
