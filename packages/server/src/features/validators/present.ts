import { type Place, pageCount } from '../../domain/reward-buckets.ts'

export type PresentedPage<T> = {
  body: { data: T[]; offset: number; limit: number; totalRows: number; pages: number }
  headers: { 'x-data-complete': 'true' | 'false' }
}

export function presentPage<T>({
  rows,
  offset,
  limit,
  totalRows,
  isComplete,
}: Place & { rows: T[]; totalRows: number; isComplete: boolean }): PresentedPage<T> {
  return {
    body: { data: rows, offset, limit, totalRows, pages: pageCount(totalRows, limit) },
    headers: { 'x-data-complete': isComplete ? 'true' : 'false' },
  }
}

const WEI_PER_GWEI = 10n ** 9n

export function inWei(gwei: bigint): string {
  return (gwei * WEI_PER_GWEI).toString()
}
