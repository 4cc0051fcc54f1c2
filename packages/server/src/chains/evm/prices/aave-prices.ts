import { parseAbi } from 'viem'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, fromRaw, ONE } from '../../../domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { type PriceScope, type PriceSource, type Quote, sameCoin } from '../../../prices/price-source.ts'
import type { PriceStep } from '../../../prices/price-way.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { type FeedLeg, readFeed } from './chainlink-feed.ts'
import { PUBLISHED_AAVE_ORACLES } from './published-aave-oracles.ts'
import type { EvmSourceContext } from './sources.ts'

/** USD with 8 decimals (v3), or 18 of `unit`'s coin (v2: ETH). */
export type AaveOracleRow = { chain: string; oracle: string; decimals: number; unit?: FeedLeg }

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
          const wanted = tokens.flatMap((token) => {
            const asset = assetOf(token.address)
            return asset ? [{ token, asset }] : []
          })
          const readUnit = createUnitReader(scope.reader)
          const quotes = await Promise.all(
            wanted.map(({ token, asset }) => quoteOf(scope, { token, asset, oracles, readUnit })),
          )
          return new Map(quotes.flatMap((quote, i) => (quote && wanted[i] ? [[wanted[i].token.address, quote]] : [])))
        },
      }
    },
  }
}

type Unit = { usd: Decimal; asOf?: number; feed?: PriceStep } | UpstreamError | undefined

function createUnitReader(reader: EvmReader): (unit: FeedLeg | undefined) => Promise<Unit> {
  const reads = new Map<string, Promise<Unit>>()
  const readUnit = async (unit: FeedLeg): Promise<Unit> => {
    const answer = await readFeed(reader, unit)
    if (!answer) return undefined
    const { value, updatedAt, block } = answer
    const { heartbeatSeconds } = unit
    const at = { address: evmAddress(unit.aggregator), block, updatedAt, heartbeatSeconds }
    return { usd: value, asOf: updatedAt, feed: { kind: 'feed', rate: value, ...at } }
  }
  return (unit) => {
    if (!unit) return Promise.resolve({ usd: ONE })
    const read = reads.get(unit.aggregator) ?? readUnit(unit).catch(upstreamOnly)
    reads.set(unit.aggregator, read)
    return read
  }
}

type Asked = {
  token: Token
  asset: EvmAddress
  oracles: readonly AaveOracleRow[]
  readUnit(unit: FeedLeg | undefined): Promise<Unit>
}

/** The first market with a price wins. */
async function quoteOf(
  { chain, reader, witness }: PriceScope<EvmReader>,
  { token, asset, oracles, readUnit }: Asked,
): Promise<Quote | UpstreamError | undefined> {
  const asked = oracles.map(async ({ oracle, decimals, unit }) => {
    const call = { address: evmAddress(oracle), abi: oracleAbi, functionName: 'getAssetPrice', args: [asset] } as const
    const [raw, worth] = await Promise.all([reader.tryRead(call), readUnit(unit)])
    if (!raw || !worth) return undefined
    if (worth instanceof UpstreamError) return worth
    const rate = fromRaw(raw, decimals)
    return {
      ...worth,
      usd: worth.usd.times(rate),
      told: { kind: 'oracle', address: evmAddress(oracle), rate } as const,
    }
  })
  const [header, ...answers] = await Promise.all([reader.header(), ...asked])
  const price = { chain: chain.key, token: token.address, source: 'aave', confidence: 1, block: header.number }
  let failure: UpstreamError | undefined
  const found: Quote[] = []
  for (const answer of answers) {
    if (answer instanceof UpstreamError) failure ??= answer
    else if (answer) {
      const { told, feed, ...figure } = answer
      witness?.({
        token: token.address,
        source: 'aave',
        usd: figure.usd,
        confidence: 1,
        path: [{ ...told, block: header.number }, ...(feed ? [feed] : [])],
      })
      found.push({ price: { ...price, ...figure } })
    }
  }
  return found[0] ?? failure
}

export const aaveSource: PriceSourceModule<EvmReader, EvmSourceContext> = {
  name: 'aave',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: ({ aaveAssets }) => createAavePrices({ oracles: PUBLISHED_AAVE_ORACLES, assets: aaveAssets }),
}
