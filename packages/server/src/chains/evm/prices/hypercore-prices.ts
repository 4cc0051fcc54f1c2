import { type Decimal, fromRaw } from '../../../domain/decimal.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type PriceSource, sameCoin } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { oracleLens } from './oracle-lens.bytecode.ts'

export type CoinPerp = { chain: string; perp: number; coin: string }

/** Source: hyperliquid-dev/hyper-evm-lib at 6abf28f. */
const COIN_PERPS: readonly CoinPerp[] = [{ chain: 'hyperevm', perp: 159, coin: 'HYPE' }]

/** USD and sizes together. */
const DIGITS = 6

/** Stake-weighted median of validators' prices, used for margins and liquidations. */
export function createHyperCorePrices(perps: readonly CoinPerp[]): PriceSource<EvmReader> {
  return {
    name: 'hypercore',
    byRow: true,
    open({ chain, reader, readAhead = true, witness }) {
      const row = perps.find((perp) => perp.chain === chain.key)
      let answer: Promise<Decimal> | undefined
      const ask = (perp: CoinPerp) => {
        answer ??= seenLater(readOracle(reader, perp))
        return answer
      }
      if (row && readAhead) void ask(row)
      const isCoin = (token: string) => sameCoin(chain, token).includes(chain.native.address)
      return {
        expects: (token) => row !== undefined && isCoin(token),
        async quote(tokens) {
          const coins = tokens.filter(({ address }) => isCoin(address))
          if (!row || coins.length === 0) return new Map()
          const [usd, { number: block }] = await Promise.all([ask(row), reader.header()])
          const figure = { chain: chain.key, usd, source: 'hypercore', confidence: 1, block }
          for (const { address: token } of coins) {
            witness?.({ token, usd, source: 'hypercore', confidence: 1, path: [{ kind: 'oracle', rate: usd, block }] })
          }
          return new Map(coins.map(({ address }) => [address, { price: { ...figure, token: address } }]))
        },
      }
    },
  }
}

async function readOracle(reader: EvmReader, { perp, coin }: CoinPerp): Promise<Decimal> {
  const [about, sizeDecimals, usd] = await reader.lens(oracleLens, { functionName: 'price', args: [perp] })
  if (about !== coin) throw new UpstreamError('invalid', `perpetual ${perp} of HyperCore is not about ${coin}`)
  if (usd === 0n || sizeDecimals > DIGITS) throw new UpstreamError('invalid', `HyperCore reports no price of ${coin}`)
  return fromRaw(usd, DIGITS - sizeDecimals)
}

export const hyperCoreSource: PriceSourceModule<EvmReader> = {
  name: 'hypercore',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: () => createHyperCorePrices(COIN_PERPS),
}
