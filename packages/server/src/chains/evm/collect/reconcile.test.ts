import { expect, test } from 'vitest'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Adjustment } from '../../histories.ts'
import { isRebasingToken } from '../decode/rebasing-tokens.ts'
import { createReconcile } from './reconcile.ts'

const TOKEN: EvmAddress = '0x00000000000000000000000000000000000000aa'
const wallet = '0x00000000000000000000000000000000000000ff'

/** Adjustments of a token whose movements add up to `sum`. */
async function settled(
  sum: bigint,
  balance: bigint,
  { chain = 'ethereum', token = TOKEN, rebasing = isRebasingToken(chain, token) } = {},
): Promise<readonly Adjustment[]> {
  const sums = new Map([[token, sum]])
  const reader = {
    scan: async () => ({ nativeRaw: 0n, balances: new Map([[token, balance]]), failed: new Map() }),
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
  return reconcile({ chain, wallet })
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
  expect(await settled(5n, 7n, { rebasing: true })).toEqual([
    { token: TOKEN, amountRaw: 2n, debt: false, kind: 'interest' },
  ])
  expect(await settled(7n, 5n, { rebasing: true })).toEqual([
    { token: TOKEN, amountRaw: -2n, debt: false, kind: 'interest' },
  ])
})

test.each([
  ['SUPEROETHB', 'base', '0xdbfefd2e8460a6ee4955a68582f85708baea60a3', 2n * E18, 22n * 10n ** 17n, 2n * 10n ** 17n],
  ['OS', 'sonic', '0xb1e25689d55734fd3fffc939c4c3eb52dff8a794', 10n * E18, 95n * 10n ** 17n, -5n * 10n ** 17n],
  ['AMPL', 'avalanche', '0x027dbca046ca156de9622cd1e2d907d375e53aa7', 2_000_000_000n, 1_400_000_000n, -600_000_000n],
  ['USD+', 'zksync', '0x8e86e46278518efc1c5ced245cba2c7e3ef11557', 5_000_000n, 5_000_001n, 1n],
  ['USDB', 'blast', '0x4300000000000000000000000000000000000003', E18, 105n * 10n ** 16n, 5n * 10n ** 16n],
] as const)('the listed %s of %s rebases by interest', async (_, chain, token, sum, balance, amountRaw) => {
  expect(await settled(sum, balance, { chain, token })).toEqual([{ token, amountRaw, debt: false, kind: 'interest' }])
})

test('the address of a rebasing token rebases on its own chains alone', async () => {
  const token = '0x2a8e1e676ec238d8a992307b495b45b3feaa5e86'
  const [onEthereum, onBase] = await Promise.all(
    ['ethereum', 'base'].map((chain) => settled(2n * E18, 22n * 10n ** 17n, { chain, token })),
  )
  expect(onEthereum).toEqual([{ token, amountRaw: 2n * 10n ** 17n, debt: false, kind: 'interest' }])
  expect(onBase).toEqual([{ token, amountRaw: 2n * 10n ** 17n, debt: false, kind: 'gap' }])
})
