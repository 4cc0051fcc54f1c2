import { expect, test } from 'vitest'
import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Adjustment, StoredSums } from '../../histories.ts'
import { isRebasingToken } from '../decode/contract-directory.ts'
import type { EvmContext } from './evm-context.ts'
import { reconcile } from './reconcile.ts'

const TOKEN: EvmAddress = '0x00000000000000000000000000000000000000aa'
const wallet = '0x00000000000000000000000000000000000000ff'

/** Adjustments of a token whose movements add up to `sum`. */
async function settled(
  sum: bigint,
  balance: bigint,
  { chain = 'ethereum', token = TOKEN, rebasing = isRebasingToken(chain, token) } = {},
): Promise<readonly Adjustment[]> {
  const sums = new Map<Address, bigint>([[token, sum]])
  const reader = {
    scan: async () => ({ nativeRaw: 0n, balances: new Map([[token, balance]]), failed: new Map() }),
    header: async () => ({ number: 7n }),
  }
  const store: Partial<StoredSums> = {
    sums: async () => ({ block: 7n, time: 0, sums }),
    settle: async (_of, _block, differ) => differ({ block: 7n, time: 0, sums }),
  }
  const context = { stores: { sums: store }, openReader: () => reader } as unknown as EvmContext
  return reconcile(context, async () => () => ({ rebasing, debt: false, listed: true }), { chain, wallet })
}

const E18 = 10n ** 18n
test.each([
  ['equal', 5n * E18, 5n * E18, false, []],
  ['rounding of shares, up', 2n * E18, 2n * E18 + 2_000_000_000n, false, [2_000_000_000n, 'interest']],
  ['rounding of shares, down', 2n * E18, 2n * E18 - 3n, false, [-3n, 'interest']],
  ['more than a billionth', 2n * E18, 2n * E18 + 2_000_000_003n, false, [2_000_000_003n, 'gap']],
  ['a unit of few', 1_000_000n, 1_000_001n, false, [1n, 'gap']],
  ['all of it', 5n, 0n, false, [-5n, 'gap']],
  ['growth of a rebasing token', 5n, 7n, true, [2n, 'interest']],
  ['loss of a rebasing token', 7n, 5n, true, [-2n, 'interest']],
])('a difference is: %s', async (_, sum, balance, rebasing, [amountRaw, kind]) => {
  const expected = amountRaw === undefined ? [] : [{ token: TOKEN, amountRaw, debt: false, kind }]
  expect(await settled(sum, balance, { rebasing })).toEqual(expected)
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
