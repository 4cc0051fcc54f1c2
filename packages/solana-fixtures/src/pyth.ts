import { SpotMarkets } from '@drift-labs/sdk/lib/node/constants/spotMarkets.js'
import { derived } from './addresses.ts'
import { type FixtureAccount, fixtureAccount } from './fixture.ts'
import { handData, type IdlType, type LayoutValue } from './layout.ts'

const ORACLE = 'pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT'
const RECEIVER = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ'
const UPGRADED_ORACLE = 'pyt2F414BA6dPttK6RddPZUdHfapoBN24GL5wbrPCou'
const UPGRADED_RECEIVER = 'rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp'

/** USD feeds that Pyth pushes to Solana. */
export const pythFeeds = {
  SOL: 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d',
  USDC: 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  USDT: '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
  JUP: '0a0408d619e9380abad35060f9192039ed5042fa6f82301d0e48bb52be830996',
  BONK: '72b021217ca3fe68922a19aaf990109cb9d84e9ad004b4d2025ad6f529314419',
}

/** `(price ± confidence) × 10^exponent` USD. `verification`: number of guardian signatures, or full. */
export type PythFigures = {
  feedId: string
  price: bigint
  confidence?: bigint
  exponent?: number
  /** Unix seconds. */
  publishedAt: number
  verification?: 'full' | number
  /** Programs of the upgrade of 2026. */
  upgraded?: boolean
}

/** First shard, published layout. */
export const pythPrice = async (figures: PythFigures): Promise<FixtureAccount> => {
  const { feedId, price, confidence = 1n, exponent = -8, publishedAt, verification = 'full' } = figures
  const [oracle, receiver] = figures.upgraded ? [UPGRADED_ORACLE, UPGRADED_RECEIVER] : [ORACLE, RECEIVER]
  const feed = new Uint8Array(Buffer.from(feedId, 'hex'))
  const address = await derived(oracle, [Uint8Array.of(0, 0), feed])
  const level: [IdlType, LayoutValue][] =
    verification === 'full'
      ? [['u8', 1]]
      : [
          ['u8', 0],
          ['u8', verification],
        ]
  const data = handData('PriceUpdateV2', [
    ['publicKey', address],
    ...level,
    [{ array: ['u8', 32] }, feed],
    ['i64', price],
    ['u64', confidence],
    ['i32', exponent],
    ['i64', BigInt(publishedAt)],
    ['i64', BigInt(publishedAt - 1)],
    ['i64', price + 1n],
    ['u64', confidence + 1n],
    ['u64', 1_000n],
    // Accounts have the size of the longest layout, a partially verified price.
    ...(verification === 'full' ? ([['u8', 0]] as [IdlType, LayoutValue][]) : []),
  ])
  return fixtureAccount(address, receiver, data)
}

/** By mint, from Drift's SDK. */
export const driftFeeds = (): Map<string, string> =>
  new Map(
    SpotMarkets['mainnet-beta'].flatMap(({ mint, pythFeedId, symbol }) =>
      // Markets of other pools have a dash, some of them another price.
      pythFeedId && !symbol.includes('-') ? [[mint.toBase58(), pythFeedId.replace(/^0x/, '')] as const] : [],
    ),
  )
