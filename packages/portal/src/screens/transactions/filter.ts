import type { SearchTexts } from '../../lib/search.ts'

/** Filters of `/v1/transactions`, spelled alike in the URL and the service. */
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

export function filterIn(search: SearchTexts): Filter {
  const given = FILTERS.flatMap((name) => (search[name] ? [[name, search[name]] as const] : []))
  return { ...Object.fromEntries(given), ...(search['sort'] === 'ASC' && { sort: 'ASC' }) }
}

/** Ignores the order. */
export const narrowedBy = (filter: Filter): number => FILTERS.filter((name) => filter[name] !== undefined).length

export const partsOf = (list: string | undefined): string[] => list?.split(',').filter(Boolean) ?? []

/** Reads a form: several values of one name become a list, empty ones are omitted. */
export function filterOf(form: FormData): Record<FilterName, string | undefined> {
  const textOf = (name: FilterName): string | undefined => {
    const parts = form.getAll(name).map((part) => String(part).trim())
    return parts.filter(Boolean).join(',') || undefined
  }
  return Object.fromEntries(FILTERS.map((name) => [name, textOf(name)])) as Record<FilterName, string | undefined>
}
