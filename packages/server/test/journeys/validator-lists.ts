import type { ValidatorDeposit, ValidatorRewardSummary, ValidatorWithdrawal } from '@coffer/contract'
import { expect } from 'vitest'
import type { TestService } from '../harness.ts'

type Rows = { rewards: ValidatorRewardSummary; withdrawals: ValidatorWithdrawal; deposits: ValidatorDeposit }
type Query = Record<string, string | number>
type Page<T> = { data: T[]; offset: number; limit: number; totalRows: number; pages: number }

const MOST_ROWS = 10

export function validatorLists(service: Pick<TestService, 'get'>) {
  async function page<L extends keyof Rows>(list: L, index: string, query: Query) {
    const search = new URLSearchParams(query as Record<string, string>)
    const { status, headers, text } = await service.get(`/v1/beacon/validators/${list}/index/${index}?${search}`)
    expect(status, text).toBe(200)
    return { ...(JSON.parse(text) as Page<Rows[L]>), complete: headers.get('x-data-complete') === 'true' }
  }

  const isComplete = async (list: keyof Rows, index: string, query: Query = {}) =>
    (await page(list, index, query)).complete

  /** Each page reports its place. */
  async function all<L extends keyof Rows>(list: L, index: string, query: Query = {}, limit = MOST_ROWS) {
    const rows: Rows[L][] = []
    for (let offset = 0; ; offset += limit) {
      const { data, complete, ...place } = await page(list, index, { ...query, offset, limit })
      const { totalRows } = place
      expect({ complete, ...place }).toEqual({
        ...{ complete: true, offset, limit, totalRows },
        pages: Math.ceil(totalRows / limit),
      })
      rows.push(...data)
      if (offset + limit >= totalRows) {
        expect(rows).toHaveLength(totalRows)
        return rows
      }
    }
  }

  return { isComplete, all }
}
