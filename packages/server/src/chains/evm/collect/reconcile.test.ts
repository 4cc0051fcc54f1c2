import { expect, test } from 'vitest'
import type { Adjustment } from '../../histories.ts'
import { createReconcile } from './reconcile.ts'

const TOKEN = '0x00000000000000000000000000000000000000aa'
const wallet = '0x00000000000000000000000000000000000000ff'

/** Adjustments of a token whose movements add up to `sum`. */
async function settled(sum: bigint, balance: bigint, rebasing = false): Promise<readonly Adjustment[]> {
  const sums = new Map([[TOKEN, sum]])
  const reader = {
    scan: async () => ({ nativeRaw: 0n, balances: new Map([[TOKEN, balance]]), failed: new Map() }),
    header: async () => ({ number: 7n }),
  }
  const reconcile = createReconcile({
    store: {
      sums: async () => ({ block: 7n, sums }),
      settle: async (_of: unknown, _block: bigint, differ: (at: { sums: typeof sums }) => readonly Adjustment[]) =>
        differ({ sums }),
    } as never,
    openReader: () => reader as never,
    natureOf: async () => () => ({ rebasing, debt: false, listed: true }),
  })
  return reconcile({ chain: 'ethereum', wallet })
}

const E18 = 10n ** 18n
test.each([
  ['equal', 5n * E18, 5n * E18, []],
  ['rounding of shares, up', 2n * E18, 2n * E18 + 2_000_000_000n, [2_000_000_000n, 'interest']],
  ['rounding of shares, down', 2n * E18, 2n * E18 - 3n, [-3n, 'interest']],
  ['more than a billionth', 2n * E18, 2n * E18 + 2_000_000_003n, [2_000_000_003n, 'gap']],
  ['a unit of few', 1_000_000n, 1_000_001n, [1n, 'gap']],
  ['all of it', 5n, 0n, [-5n, 'gap']],
])('a difference is: %s', async (_, sum, balance, [amountRaw, kind]) => {
  const expected = amountRaw === undefined ? [] : [{ token: TOKEN, amountRaw, debt: false, kind }]
  expect(await settled(sum, balance)).toEqual(expected)
})

test('a rebasing token grows and shrinks by interest alone', async () => {
  expect(await settled(5n, 7n, true)).toEqual([{ token: TOKEN, amountRaw: 2n, debt: false, kind: 'interest' }])
  expect(await settled(7n, 5n, true)).toEqual([{ token: TOKEN, amountRaw: -2n, debt: false, kind: 'interest' }])
})
