import { type Place, pageCount } from '../../domain/reward-buckets.ts'

export type PresentedPage<T> = {
  body: { data: T[]; offset: number; limit: number; totalRows: number; pages: number }
  headers: { 'x-data-complete': 'true' | 'false' }
}

export const presentPage = <T>(
  data: T[],
  totalRows: number,
  isComplete: boolean,
  { offset, limit }: Place,
): PresentedPage<T> => ({
  body: { data, offset, limit, totalRows, pages: pageCount(totalRows, limit) },
  headers: { 'x-data-complete': isComplete ? 'true' : 'false' },
})

const WEI_PER_GWEI = 10n ** 9n

export const inWei = (gwei: bigint): string => (gwei * WEI_PER_GWEI).toString()
