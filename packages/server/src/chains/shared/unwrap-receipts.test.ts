import { expect, test } from 'vitest'
import { tokenOf } from '../../../test/wallet-reads.ts'
import { fromRaw, sum } from '../../domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { LiquidityBudget } from '../../domain/liquidity.ts'
import type { Position, PositionKind, TokenAmount } from '../../domain/position.ts'
import type { Token } from '../../domain/token.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createPriceGraph } from '../../prices/price-graph.ts'
import type { ReceiptDirectory } from '../../prices/receipts.ts'
import { createOverridePrices, type PriceOverride } from '../../prices/sources/override-prices.ts'
import type { Chain } from '../chain.ts'
import { unwrapReceipts } from './unwrap-receipts.ts'

const ONE = 10n ** 18n
const address = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`
const coins = { usdc: address(1), weth: address(2), dai: address(3), rare: address(4), nameless: address(5) }
const { usdc, weth, dai, rare, nameless } = coins
const shares = { pair: address(11), vault: address(12), outer: address(13), savings: address(14), meta: address(15) }
const { pair, vault, outer, savings, meta } = shares
const [odd, farm] = [address(20), address(21)]

const named = new Map<string, Token>(
  Object.entries({ ...coins, ...shares, odd })
    .filter(([name]) => name !== 'nameless')
    .map(([symbol, at]) => [at, tokenOf(at, symbol, { decimals: at === usdc ? 6 : 18 })]),
)

type Receipt = { underlyings: EvmAddress[]; parts(amountRaw: bigint): TokenAmount[] | undefined }

/** 100 shares of the pair stand for 300,000 USDC and 100 WETH. */
const pairParts = (amountRaw: bigint): TokenAmount[] => [
  { token: usdc, amountRaw: (amountRaw * 300_000n * 10n ** 6n) / (100n * ONE) },
  { token: weth, amountRaw },
]
const known: Record<string, Receipt> = {
  [pair]: { underlyings: [usdc, weth], parts: pairParts },
  [vault]: { underlyings: [pair], parts: (amountRaw) => [{ token: pair, amountRaw: 2n * amountRaw }] },
  [outer]: { underlyings: [vault], parts: (amountRaw) => [{ token: vault, amountRaw: 3n * amountRaw }] },
  [savings]: { underlyings: [dai], parts: (amountRaw) => [{ token: dai, amountRaw: (amountRaw * 3n) / 2n }] },
  // A pool of another pool's shares; only a read finds its tokens.
  [meta]: {
    underlyings: [],
    parts: (amountRaw) => [
      { token: pair, amountRaw: amountRaw / 2n },
      { token: usdc, amountRaw: (amountRaw * 500n * 10n ** 6n) / ONE },
    ],
  },
}

const prices: PriceOverride[] = [
  { chain: 'ethereum', token: usdc, usd: '1' },
  { chain: 'ethereum', token: weth, usd: '3000' },
  { chain: 'ethereum', token: dai, usd: '0.5' },
]

const position = (kind: PositionKind, supplied: TokenAmount[], rewards: TokenAmount[] = []): Position => ({
  ...{ protocol: 'some_farm', chain: 'ethereum', kind, label: 'Farm', pool: farm, borrowed: [], receipts: [] },
  supplied,
  rewards,
})

type Known = { receipts?: Record<string, Receipt>; overrides?: PriceOverride[]; kept?: Position[] }

async function open(positions: readonly Position[], { receipts = {}, overrides = [], kept = [] }: Known = {}) {
  const all = { ...known, ...receipts }
  const directory: ReceiptDirectory = {
    underlyings: (token) => all[token]?.underlyings,
    decompose: async (token, amountRaw) => all[token]?.parts(amountRaw),
    token: (token) => named.get(token),
  }
  const graph = createPriceGraph({
    sources: [createOverridePrices([...overrides, ...prices], evmAddress), 'receipt'],
    log: { warn: () => undefined },
  })
  const chain = { key: 'ethereum', native: { address: address(0) }, wrappedNative: null } as unknown as Chain
  const session = () => graph.open({ chain, reader: null }, directory)
  const opened = await unwrapReceipts(positions, {
    directory,
    session: session(),
    learn: async () => undefined,
    budget: new LiquidityBudget(),
    before: kept,
  })
  return { opened, worth: (some: readonly Position[]) => worthOf(some, session()) }
}

type Session = ReturnType<ReturnType<typeof createPriceGraph>['open']>

async function worthOf(positions: readonly Position[], session: Session) {
  const amounts = positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards])
  const found = await session.price(
    amounts.flatMap(({ token: at, amountRaw }) => {
      const token = named.get(at)
      return token ? [{ token, amountRaw }] : []
    }),
  )
  const values = amounts.flatMap(({ token, amountRaw }) => {
    const price = found.get(token)
    return price ? [fromRaw(amountRaw, named.get(token)?.decimals ?? 0).times(price.usd)] : []
  })
  return sum(values).toFixed()
}

const amount = (token: EvmAddress, amountRaw: bigint): TokenAmount => ({ token, amountRaw })

test('a staked share of a pool is shown as its coins, worth what the share was', async () => {
  const staked = [position('farming', [amount(pair, 25n * ONE)], [amount(weth, 7n)])]
  const { opened, worth } = await open(staked)
  expect(opened).toEqual([
    position('farming', [amount(usdc, 75_000n * 10n ** 6n), amount(weth, 25n * ONE)], [amount(weth, 7n)]),
  ])
  // 25 · (3,000 · 1 + 1 · 3,000) and seven units of WETH.
  expect(await worth(opened)).toBe('150000.000000000000021')
  expect(await worth(staked)).toBe('150000.000000000000021')
})

test('nests are opened to the coins of the pool, and the same coin is one amount', async () => {
  const nested = [position('farming', [amount(vault, 10n * ONE)]), position('liquidity', [amount(meta, 4n * ONE)])]
  const { opened, worth } = await open(nested)
  expect(opened).toEqual([
    // 10 shares of the vault are 20 of the pair.
    position('farming', [amount(usdc, 60_000n * 10n ** 6n), amount(weth, 20n * ONE)]),
    // 4 shares of the outer pool are 2 of the pair and 2,000 USDC.
    position('liquidity', [amount(usdc, 8_000n * 10n ** 6n), amount(weth, 2n * ONE)]),
  ])
  expect([await worth(opened), await worth(nested)]).toEqual(['134000', '134000'])
})

test('what is staked is shown as its own position would be: other receipts stay themselves', async () => {
  const { opened } = await open([
    position('farming', [amount(savings, 4n)]),
    position('farming', [amount(outer, 4n)]),
    // In the form that vaults and pools show their content.
    position('yield', [amount(savings, 4n)]),
    position('liquidity', [amount(savings, 4n), amount(weth, 5n)]),
    position('yield', [amount(pair, ONE)], [amount(savings, 4n)]),
  ])
  expect(opened).toEqual([
    position('farming', [amount(dai, 6n)]),
    position('farming', [amount(vault, 12n)]),
    position('yield', [amount(savings, 4n)]),
    position('liquidity', [amount(savings, 4n), amount(weth, 5n)]),
    position('yield', [amount(usdc, 3_000n * 10n ** 6n), amount(weth, ONE)], [amount(savings, 4n)]),
  ])
})

test('collateral stays the token that it is, also its rewards', async () => {
  const loan: Position = {
    ...position('lending', [amount(pair, ONE)], [amount(pair, 1n)]),
    borrowed: [amount(pair, 5n)],
  }
  expect((await open([loan])).opened).toEqual([loan])
  const indebted: Position = { ...position('farming', [amount(vault, ONE)]), borrowed: [amount(pair, 5n)] }
  expect((await open([indebted])).opened[0]?.borrowed).toEqual([amount(pair, 5n)])
})

test('a receipt with a price of its own stays itself, in a nest too', async () => {
  const overrides = [{ chain: 'ethereum', token: pair, usd: '17' }]
  const nested = [position('farming', [amount(pair, ONE)]), position('farming', [amount(vault, ONE)])]
  const { opened, worth } = await open(nested, { overrides })
  expect(opened).toEqual([position('farming', [amount(pair, ONE)]), position('farming', [amount(pair, 2n * ONE)])])
  expect([await worth(opened), await worth(nested)]).toEqual(['51', '51'])
})

test('a share with an unpriced part shows all its parts, and is worth the others', async () => {
  const half: Receipt = {
    underlyings: [rare, weth],
    parts: (amountRaw) => [
      { token: rare, amountRaw: 9n * amountRaw },
      { token: weth, amountRaw },
    ],
  }
  const { opened, worth } = await open([position('farming', [amount(odd, ONE)])], { receipts: { [odd]: half } })
  expect(opened).toEqual([position('farming', [amount(rare, 9n * ONE), amount(weth, ONE)])])
  expect(await worth(opened)).toBe('3000')
})

const refusing: Record<string, Receipt['parts']> = {
  'stands for nothing that can be reported': () => undefined,
  'stands for no token': () => [],
  reverts: () => {
    throw new Error('execution reverted')
  },
  'stands for itself': (amountRaw) => [amount(odd, 2n * amountRaw), amount(weth, amountRaw)],
  'stands for 1,000 tokens': (amountRaw) =>
    Array.from({ length: 1_000 }, (_, index) => amount(address(1_000 + index), amountRaw)),
  'stands for an untrusted token without decimals': (amountRaw) => [
    amount(weth, amountRaw),
    amount(nameless, amountRaw),
  ],
}

test.each(Object.entries(refusing))('a receipt that %s stays itself and hides no other', async (_, parts) => {
  const receipts = { [odd]: { underlyings: [weth, dai], parts } }
  const staked = [
    position('farming', [amount(odd, ONE), amount(pair, ONE)]),
    position('farming', [amount(vault, ONE)], [amount(odd, 3n)]),
  ]
  expect((await open(staked, { receipts })).opened).toEqual([
    position('farming', [amount(odd, ONE), amount(usdc, 3_000n * 10n ** 6n), amount(weth, ONE)]),
    position('farming', [amount(usdc, 6_000n * 10n ** 6n), amount(weth, 2n * ONE)], [amount(odd, 3n)]),
  ])
})

test('two receipts that stand for each other, and nests without an end, come to an end', async () => {
  const swapped = (token: EvmAddress): Receipt => ({
    underlyings: [token, weth],
    parts: (amountRaw) => [amount(token, amountRaw), amount(weth, amountRaw)],
  })
  const { opened } = await open([position('farming', [amount(odd, 8n)])], {
    receipts: { [odd]: swapped(meta), [meta]: swapped(odd) },
  })
  expect(opened).toEqual([position('farming', [amount(meta, 8n), amount(weth, 8n)])])

  // Each is worth 8 of the next: a second level would be 64, a third 512.
  const tower = Array.from({ length: 9 }, (_, index) => address(100 + index))
  for (const at of tower) named.set(at, { ...(named.get(odd) as Token), address: at })
  const floors = tower.map((at, floor): [string, Receipt] => [
    at,
    {
      underlyings: [],
      parts: (amountRaw) =>
        Array.from({ length: 8 }, (_, side) => amount(tower[floor + 1] ?? address(900 + side), amountRaw)),
    },
  ])
  const { opened: high } = await open([position('farming', [amount(address(100), 1n)])], {
    receipts: Object.fromEntries(floors),
  })
  expect(high).toEqual([position('farming', [amount(address(102), 64n)])])
})

test('a receipt pays no more than its source has, in the order of positions, and nothing for more shares than exist', async () => {
  const backing = { ways: [[{ id: 'vault', freeRaw: 15n }]], supplyRaw: 20n }
  const parts: Receipt['parts'] = (amountRaw) => [{ ...amount(dai, amountRaw), backing }]
  const receipts = { [odd]: { underlyings: [dai], parts } }
  const reward = [amount(weth, 1n)]
  const { opened } = await open(
    [
      position('farming', [amount(odd, 21n)], reward),
      position('farming', [amount(odd, 10n)]),
      position('farming', [amount(odd, 10n)]),
      position('farming', [amount(odd, 10n)], reward),
    ],
    { receipts },
  )
  expect(opened).toEqual([
    position('farming', [], reward),
    position('farming', [amount(dai, 10n)]),
    position('farming', [amount(dai, 5n)]),
    position('farming', [], reward),
  ])
})

test('what a failed protocol keeps of the read before is shown as it was then', async () => {
  const vaultShare = position('farming', [amount(savings, 2n * ONE), amount(weth, 1n)])
  const { opened } = await open([vaultShare, { ...vaultShare }], { kept: [vaultShare] })
  expect(opened).toEqual([vaultShare, position('farming', [amount(dai, 3n * ONE), amount(weth, 1n)])])
})

test('a node that fails fails the read', async () => {
  const parts = () => {
    throw new UpstreamError('timeout', 'late')
  }
  const staked = [position('farming', [amount(odd, ONE)])]
  await expect(open(staked, { receipts: { [odd]: { underlyings: [weth, dai], parts } } })).rejects.toThrow('late')
})
