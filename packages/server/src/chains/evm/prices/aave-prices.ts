import { parseAbi } from 'viem'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, fromRaw, ONE } from '../../../domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { type PriceScope, type PriceSource, type Quote, sameCoin } from '../../../prices/price-source.ts'
import type { PriceStep } from '../../../prices/price-way.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { type FeedLeg, readFeed } from './chainlink-feed.ts'
import { findAggregator } from './published-feeds.ts'
import type { EvmSourceContext } from './sources.ts'

/** Source: `@aave-dao/aave-address-book`. */
export const PUBLISHED_AAVE_ORACLES: readonly AaveOracleRow[] = [
  usdOracle('ethereum', '0x54586bE62E3c3580375aE3723C145253060Ca0C2'),
  usdOracle('ethereum', '0xE3C061981870C0C7b1f3C4F4bB36B95f1F260BE6'),
  usdOracle('ethereum', '0x43b64f28A678944E0655404B0B98E443851cC34F'),
  usdOracle('arbitrum', '0xb56c2F0B653B2e0b10C9b928C8580Ac5Df02C7C7'),
  usdOracle('base', '0x2Cc0Fc26eD4563A5ce5e8bdcfe1A2878676Ae156'),
  usdOracle('optimism', '0xD81eb3728a631871a7eBBaD631b5f424909f0c77'),
  usdOracle('polygon', '0xb023e699F5a33916Ea823A16485e259257cA8Bd1'),
  usdOracle('binance', '0x39bc1bfDa2130d6Bb6DBEfd366939b4c7aa7C697'),
  usdOracle('avalanche', '0xEBd36016B3eD09D4693Ed4251c67Bd858c3c7C9C'),
  usdOracle('gnosis', '0xeb0a051be10228213BAEb449db63719d6742F7c4'),
  usdOracle('linea', '0xCFDAdA7DCd2e785cF706BaDBC2B8Af5084d595e9'),
  etherOracle('ethereum', '0xA50ba011c48153De246E5192C8f9258A2ba79Ca9'),
  etherOracle('polygon', '0x0229F777B0fAb107F9591a41d5F02E4e98dB6f2d'),
  usdOracle('avalanche', '0xdC336Cd4769f4cC7E9d726DA53e6d3fC710cEB89'),
]

function usdOracle(chain: string, oracle: string): AaveOracleRow {
  return { chain, oracle, decimals: 8 }
}

/** Aave v2 on two chains prices in ETH. */
function etherOracle(chain: string, oracle: string): AaveOracleRow {
  const unit = findAggregator(chain, 'ETH/USD')
  if (!unit) throw new Error(`no ETH/USD aggregator is published for ${chain}`)
  return { chain, oracle, decimals: 18, unit }
}

/** USD with 8 decimals (v3), or 18 of `unit`'s coin (v2: ETH). */
type AaveOracleRow = { chain: string; oracle: string; decimals: number; unit?: FeedLeg }

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
