import { isObject, type PlainObject } from './plain-answer.ts'

/** What was asked for, and what was shown of its answer. */
export type ShownPage = {
  /** Arguments that the endpoint pages by, each with its default. */
  pagedBy: Readonly<Partial<Record<'offset' | 'limit' | 'page' | 'cursor', unknown>>>
  args: PlainObject
  /** As the service gave it. */
  answer: unknown
  /** How many items it has. */
  total: number
  skip: number
  shown: number
}

/**
 * The arguments that, in place of those given, show what follows; null where nothing does. A list that was cut goes on
 * within itself; one that was shown to its end goes on by the endpoint's own pages.
 */
export function nextPage(page: ShownPage): PlainObject | null {
  const { total, skip, shown } = page
  if (skip + shown < total) return { skip: skip + shown }
  const next = nextOfEndpoint(page, isObject(page.answer) ? page.answer : {})
  return next && { ...next, ...(skip > 0 && { skip: 0 }) }
}

function nextOfEndpoint({ pagedBy, args, total }: ShownPage, told: PlainObject): PlainObject | null {
  const given = (name: 'offset' | 'limit' | 'page') => Number(args[name] ?? pagedBy[name])
  if ('cursor' in pagedBy) return typeof told['cursor'] === 'string' ? { cursor: told['cursor'] } : null
  if ('page' in pagedBy) {
    const { hasMore } = isObject(told['pagination']) ? told['pagination'] : {}
    return hasMore === true ? { page: given('page') + 1 } : null
  }
  if (!('offset' in pagedBy) || total === 0) return null
  const end = given('offset') + total
  const goesOn = typeof told['totalRows'] === 'number' ? end < told['totalRows'] : total >= given('limit')
  return goesOn ? { offset: end } : null
}
