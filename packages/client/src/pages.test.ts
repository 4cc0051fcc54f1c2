import { expect, test } from 'vitest'
import { items, pages } from './pages.ts'

const ROWS = ['a', 'b', 'c', 'd', 'e']

/** Collects at most `most` items. */
async function collect<T>(yielded: AsyncIterable<T>, most = 10): Promise<T[]> {
  const found: T[] = []
  for await (const item of yielded) {
    found.push(item)
    if (found.length === most) break
  }
  return found
}

/** A list of five rows, paged by a rule, and its queries. */
function list<Q extends object, P>(answer: (query: Q) => P) {
  const asked: Q[] = []
  const call = async (request: { params: { chain: string }; query: Q }): Promise<P> => {
    expect(request.params).toEqual({ chain: 'base' })
    asked.push(request.query)
    return answer(request.query)
  }
  return { asked, call }
}
const params = { chain: 'base' }

test('by page, from the one that is asked for', async () => {
  const { asked, call } = list(({ page = 1, limit = 2 }: { page?: number; limit?: number }) => ({
    data: ROWS.slice((page - 1) * limit, page * limit),
    pagination: { page, limit, hasMore: page * limit < ROWS.length },
  }))
  expect(await collect(items(call, { params, query: {} }))).toEqual(ROWS)
  expect(asked).toEqual([{}, { page: 2 }, { page: 3 }])
  expect(await collect(items(call, { params, query: { page: 2, limit: 2 } }))).toEqual(['c', 'd', 'e'])
})

test('by cursor, until it is null', async () => {
  const { asked, call } = list(({ cursor = '0' }: { addresses: string; cursor?: string }) => {
    const next = Number(cursor) + 3
    return {
      items: ROWS.slice(Number(cursor), next),
      cursor: next < ROWS.length ? String(next) : null,
      pageSize: 3,
    }
  })
  expect(await collect(items(call, { params, query: { addresses: '0x1' } }))).toEqual(ROWS)
  expect(asked).toEqual([{ addresses: '0x1' }, { addresses: '0x1', cursor: '3' }])
})

test('by offset, until all rows were there that are counted', async () => {
  const { asked, call } = list(({ offset = 0 }: { offset?: number; limit: number }) => ({
    data: ROWS.slice(Number(offset), Number(offset) + 2),
    ...{ offset: Number(offset), limit: 2, totalRows: ROWS.length, pages: 3 },
  }))
  expect(await collect(items(call, { params, query: { offset: 1, limit: 2 } }))).toEqual(['b', 'c', 'd', 'e'])
  expect(asked).toEqual([
    { offset: 1, limit: 2 },
    { offset: 3, limit: 2 },
  ])
})

test('transactions end with a page that is not full, or where no limit was given with an empty one', async () => {
  const { asked, call } = list(({ offset = 0, limit = 3 }: { offset?: number; limit?: number }) => ({
    transactions: ROWS.slice(Number(offset), Number(offset) + Number(limit)),
    coverage: [],
  }))
  expect(await collect(items(call, { params, query: { limit: 3 } }))).toEqual(ROWS)
  expect(asked.splice(0)).toEqual([{ limit: 3 }, { limit: 3, offset: 3 }])
  expect(await collect(items(call, { params, query: {} }))).toEqual(ROWS)
  expect(asked).toEqual([{}, { offset: 3 }, { offset: 5 }])
})

test('a list that announces more and returns nothing ends', async () => {
  const { asked, call } = list((_: { offset?: number }) => ({ data: [], ...{ offset: 0, limit: 2, totalRows: 9 } }))
  expect(await collect(pages(call, { params, query: {} }))).toHaveLength(1)
  expect(asked).toHaveLength(1)
})

test('a page is asked for when it is needed, with the signal', async () => {
  const signals: unknown[] = []
  const { asked, call } = list(({ page = 1 }: { page?: number }) => ({
    data: ROWS,
    pagination: { page, hasMore: true },
  }))
  const { signal } = new AbortController()
  const watched = (request: Parameters<typeof call>[0], options?: { signal?: AbortSignal }) => {
    signals.push(options?.signal)
    return call(request)
  }
  expect(await collect(items(watched, { params, query: {} }, { signal }), 6)).toEqual([...ROWS, 'a'])
  expect(asked).toEqual([{}, { page: 2 }])
  expect(signals).toEqual([signal, signal])
})
