import { isObject, type PlainObject } from './plain-answer.ts'

export type ShownPage = {
  /** Paging arguments with their defaults. */
  pagedBy: Readonly<Partial<Record<'offset' | 'limit' | 'page' | 'cursor', unknown>>>
  args: PlainObject
  answer: unknown
  /** Items of the answer. */
  total: number
  skip: number
  shown: number
}

/**
 * Returns the arguments to replace; null if nothing follows. A cut list continues within itself, one shown to its end
 * by the endpoint's pages.
 */
export function nextPage(page: ShownPage): PlainObject | null {
  const { total, skip, shown } = page
  if (skip + shown < total) return { skip: skip + shown }
  const next = nextOfEndpoint(page, isObject(page.answer) ? page.answer : {})
  return next && { ...next, ...(skip > 0 && { skip: 0 }) }
}

function nextOfEndpoint({ pagedBy, args, total }: ShownPage, reported: PlainObject): PlainObject | null {
  const given = (name: 'offset' | 'limit' | 'page') => Number(args[name] ?? pagedBy[name])
  if ('cursor' in pagedBy) return typeof reported['cursor'] === 'string' ? { cursor: reported['cursor'] } : null
  if ('page' in pagedBy) {
    const { hasMore } = isObject(reported['pagination']) ? reported['pagination'] : {}
    return hasMore === true ? { page: given('page') + 1 } : null
  }
  if (!('offset' in pagedBy) || total === 0) return null
  const end = given('offset') + total
  const goesOn = typeof reported['totalRows'] === 'number' ? end < reported['totalRows'] : total >= given('limit')
  return goesOn ? { offset: end } : null
}
