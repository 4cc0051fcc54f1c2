import type { SearchTexts } from '../../lib/search.ts'

/** Filters of `/v1/transactions` as the page's search has them, and as the service takes them. */
export const FILTERS = [
  'initialSearchText',
  'startDate',
  'endDate',
  'networks',
  'txTypes',
  'protocols',
  'interactingAddresses',
  'tokenId',
  'hideSpam',
  'hideDust',
] as const
export type FilterName = (typeof FILTERS)[number]
export type Filter = Partial<Record<FilterName | 'sort', string>>

/** The filter in a page's search. */
export function filterIn(search: SearchTexts): Filter {
  const given = FILTERS.flatMap((name) => (search[name] ? [[name, search[name]] as const] : []))
  return { ...Object.fromEntries(given), ...(search['sort'] === 'ASC' && { sort: 'ASC' }) }
}

/** How many things a list is narrowed to; its order narrows nothing. */
export const narrowedBy = (filter: Filter): number => FILTERS.filter((name) => filter[name] !== undefined).length

/** The parts of a filter that is a list. */
export const partsOf = (list: string | undefined): string[] => list?.split(',').filter(Boolean) ?? []

/** The filter that a form holds; several of one name become a list, what is empty is left out. */
export function filterOf(form: FormData): Record<FilterName, string | undefined> {
  const textOf = (name: FilterName): string | undefined => {
    const parts = form.getAll(name).map((part) => String(part).trim())
    return parts.filter(Boolean).join(',') || undefined
  }
  return Object.fromEntries(FILTERS.map((name) => [name, textOf(name)])) as Record<FilterName, string | undefined>
}
