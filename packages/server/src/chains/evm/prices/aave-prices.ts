import { parseAbi } from 'viem'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, fromRaw, ONE } from '../../../domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { type PriceScope, type PriceSource, type Quote, sameCoin } from '../../../prices/price-source.ts'
import type { PriceStep } from '../../../prices/price-way.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import oracles from './aave-oracles.json' with { type: 'json' }
import { type FeedLeg, findAggregator, readFeed } from './chainlink-feed.ts'
import type { EvmSourceContext } from './sources.ts'

/** USD with 8 decimals (v3), or 18 of `unit`'s coin (v2 on two chains: ETH). */
type AaveOracleRow = { chain: string; oracle: string; decimals: number; unit?: FeedLeg }

/** Source: `@aave-dao/aave-address-book`. */
export const PUBLISHED_AAVE_ORACLES: readonly AaveOracleRow[] = oracles.map(({ chain, oracle, unit: coin }) => {
  if (coin === 'USD') return { chain, oracle, decimals: 8 }
  const unit = findAggregator(chain, `${coin}/USD`)
  if (!unit) throw new Error(`no ${coin}/USD aggregator is published for ${chain}`)
  return { chain, oracle, decimals: 18, unit }
})

const oracleAbi = parseAbi(['function getAssetPrice(address asset) view returns (uint256)'])

/** An oracle refuses assets without a source. A price of zero is unknown. */
export function createAavePrices(deps: {
  oracles: readonly AaveOracleRow[]
  assets(chain: string): ReadonlySet<EvmAddress>
}): PriceSource<EvmReader> {
  return {
    name: 'aave',
    byRow: true,
    open(scope) {
      const { chain } = scope
      const oracles = deps.oracles.filter((row) => row.chain === chain.key)
      const assets = oracles.length > 0 ? deps.assets(chain.key) : new Set<EvmAddress>()
      const assetOf = (token: Address) =>
        sameCoin(chain, token)
          .map(evmAddress)
          .find((address) => assets.has(address))
      return {
        expects: (token) => assetOf(token) !== undefined,
        async quote(tokens) {
          const quotes = await Promise.all(
            tokens.map(async ({ address }) => {
              const asset = assetOf(address)
              return [address, asset && (await quoteOf(scope, address, asset, oracles))] as const
            }),
          )
          return new Map(quotes.flatMap(([address, quote]) => (quote ? [[address, quote] as const] : [])))
        },
      }
    },
  }
}

type Unit = { usd: Decimal; asOf?: number; feed?: PriceStep }

async function readUnit(reader: EvmReader, unit: FeedLeg | undefined): Promise<Unit | UpstreamError | undefined> {
  if (!unit) return { usd: ONE }
  const answer = await readFeed(reader, unit).catch(upstreamOnly)
  if (!answer || answer instanceof UpstreamError) return answer
  const { value: rate, updatedAt, block } = answer
  const at = { address: evmAddress(unit.aggregator), block, updatedAt, heartbeatSeconds: unit.heartbeatSeconds }
  return { usd: rate, asOf: updatedAt, feed: { kind: 'feed', rate, ...at } }
}

/** The first market with a price wins. */
async function quoteOf(
  { chain, reader, witness }: PriceScope<EvmReader>,
  token: Address,
  asset: EvmAddress,
  oracles: readonly AaveOracleRow[],
): Promise<Quote | UpstreamError | undefined> {
  const asked = oracles.map(async ({ oracle, decimals, unit }) => {
    const call = { address: evmAddress(oracle), abi: oracleAbi, functionName: 'getAssetPrice', args: [asset] } as const
    const [raw, worth] = await Promise.all([reader.tryRead(call), readUnit(reader, unit)])
    if (!raw || !worth) return undefined
    if (worth instanceof UpstreamError) return worth
    const rate = fromRaw(raw, decimals)
    return { ...worth, usd: worth.usd.times(rate), address: evmAddress(oracle), rate }
  })
  const [{ number: block }, ...answers] = await Promise.all([reader.header(), ...asked])
  let failure: UpstreamError | undefined
  let found: Quote | undefined
  for (const answer of answers) {
    if (answer instanceof UpstreamError) failure ??= answer
    else if (answer) {
      const { address, rate, feed, ...figure } = answer
      const path: PriceStep[] = [{ kind: 'oracle', address, rate, block }, ...(feed ? [feed] : [])]
      witness?.({ token, source: 'aave', usd: figure.usd, confidence: 1, path })
      found ??= { price: { chain: chain.key, token, source: 'aave', confidence: 1, block, ...figure } }
    }
  }
  return found ?? failure
}

export const aaveSource: PriceSourceModule<EvmReader, EvmSourceContext> = {
  name: 'aave',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: ({ aaveAssets }) => createAavePrices({ oracles: PUBLISHED_AAVE_ORACLES, assets: aaveAssets }),
}
