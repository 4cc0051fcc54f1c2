import { useNavigate, useSearch } from '@tanstack/react-router'

/** Texts in the query of the page's address, and a way to change some of them; an empty one is left out. */
export function useSearchTexts<Name extends string>(): [
  texts: Readonly<Partial<Record<Name, string>>>,
  put: (changes: Partial<Record<Name, string>>) => void,
] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  // The router reads what looks like a number as one.
  const texts = Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]))
  const put = (changes: Partial<Record<Name, string>>) => {
    const changed = Object.entries({ ...texts, ...changes }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(changed), replace: true })
  }
  return [texts as Partial<Record<Name, string>>, put]
}
