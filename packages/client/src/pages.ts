import type { CallOptions } from './client.ts'

type Query = Record<string, unknown>
/** Lists by page, by cursor, by offset with a count, or by offset alone. */
type Page =
  | { data: readonly unknown[]; pagination: { page: number; hasMore: boolean } }
  | { items: readonly unknown[]; cursor: string | null }
  | { data: readonly unknown[]; offset: number; totalRows: number }
  | { transactions: readonly unknown[] }
type ItemOf<P extends Page> = P extends { data: readonly (infer I)[] }
  ? I
  : P extends { items: readonly (infer I)[] }
    ? I
    : P extends { transactions: readonly (infer I)[] }
      ? I
      : never

type PagedCall<R, P extends Page> = (request: R, options?: CallOptions) => Promise<P>

/**
 * Requests each page after the previous was used; each costs a call. Without a `limit` a list of transactions ends with
 * an empty page.
 */
export async function* pages<R extends { query?: object }, P extends Page>(
  call: PagedCall<R, P>,
  request: R,
  options?: CallOptions,
): AsyncGenerator<P, void, undefined> {
  for (let query: Query | undefined = { ...request.query }; query; ) {
    const page: P = await call({ ...request, query }, options)
    yield page
    query = nextQuery(query, page)
  }
}

export async function* items<R extends { query?: object }, P extends Page>(
  call: PagedCall<R, P>,
  request: R,
  options?: CallOptions,
): AsyncGenerator<ItemOf<P>, void, undefined> {
  for await (const page of pages(call, request, options)) yield* itemsOf(page) as Iterable<ItemOf<P>>
}

function itemsOf(page: Page): readonly unknown[] {
  if ('items' in page) return page.items
  return 'data' in page ? page.data : page.transactions
}

/** Returns undefined after the last page. */
function nextQuery(query: Query, page: Page): Query | undefined {
  if ('cursor' in page) return page.cursor === null ? undefined : { ...query, cursor: page.cursor }
  if ('pagination' in page) return page.pagination.hasMore ? { ...query, page: page.pagination.page + 1 } : undefined
  const { length } = itemsOf(page)
  const offset = Number(query['offset'] ?? 0) + length
  const isLast = 'totalRows' in page ? offset >= page.totalRows : length < Number(query['limit'] ?? 1)
  return isLast || length === 0 ? undefined : { ...query, offset }
}
