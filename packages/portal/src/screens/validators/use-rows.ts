import { useInfiniteQuery } from '@tanstack/react-query'
import { useAccount } from '../../api/queries.ts'
import { type RequestParts, request } from '../../api/request.ts'
import type { V1Answer, V1Path } from '../../api/types.ts'
import { compareDecimals } from '../../lib/pixels.ts'

/** Rows per answer, and answers per read. */
const ROWS = 10
const ANSWERS = 4
/** Poll interval while indexing. */
const AGAIN_MS = 15_000

type ByIndex = Extract<V1Path<'GET'>, `/v1/beacon/validators/${string}/index/:index`>
type RowsPath = Exclude<ByIndex, `${string}/details/${string}`>
export type Row<P extends RowsPath> = V1Answer<'GET', P> extends { data: (infer T)[] } ? T : never

type Answer = { rows: unknown[]; isComplete: boolean; next: number | null }

/** Reads a validator's rows, newest first, some answers at a time; polls incomplete ones. */
export function useRows<P extends RowsPath>(path: P, index: string, query: RequestParts['query'] = {}) {
  const { id: account } = useAccount()
  const read = useInfiniteQuery({
    queryKey: ['accounts', account, path, index, query],
    initialPageParam: 0,
    getNextPageParam: ({ next }: Answer) => next,
    refetchInterval: ({ state }) => (state.data?.pages.every(({ isComplete }) => isComplete) ? false : AGAIN_MS),
    queryFn: ({ pageParam, signal }) =>
      readAnswers(pageParam, (offset, onHeaders) =>
        request('GET', `/accounts/:account${path}`, {
          params: { account, index },
          query: { ...query, offset, limit: ROWS },
          signal,
          onHeaders,
        }),
      ),
  })
  const answers = read.data?.pages
  return {
    query: read,
    rows: (answers?.flatMap(({ rows }) => rows) ?? []) as Row<P>[],
    isComplete: answers?.every(({ isComplete }) => isComplete) ?? false,
  }
}

type Ask = (offset: number, onHeaders: (headers: Headers) => void) => Promise<unknown>

async function readAnswers(first: number, ask: Ask): Promise<Answer> {
  const rows: unknown[] = []
  let isComplete = true
  for (let offset = first; offset < first + ANSWERS * ROWS; offset += ROWS) {
    const answer = await ask(offset, (headers) => {
      isComplete &&= headers.get('x-data-complete') !== 'false'
    })
    const { data, totalRows: total } = answer as { data: unknown[]; totalRows: string }
    rows.push(...data)
    if (compareDecimals(total, String(offset + ROWS)) <= 0) return { rows, isComplete, next: null }
  }
  return { rows, isComplete, next: first + ANSWERS * ROWS }
}
