import type { Decimal } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import type { Chain } from '../../kinds/chain.ts'
import { pagesOf } from '../../lib/pages.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { findCoinId } from '../coin-ids.ts'
import { at, numberFrom, usdFrom } from '../exact-json.ts'
import type { PriceSource, Quote } from '../price-source.ts'
import type { PriceSourceModule, ReadSetting } from '../source-module.ts'
import { getExactJson, type PriceApiOptions, quotePage } from './price-api.ts'

/** From about 250 coins on the service refuses the length of the URL. */
const COINS_PER_CALL = 150
/** Maximum age of a current price, and maximum distance of a past price from its time. */
const SEARCH_WIDTH = '4h'

/**
 * DefiLlama's `GET /prices/current/{coins}`, for a past block `GET /prices/historical/{timestamp}/{coins}`. The price
 * carries the confidence that the service reports.
 */
export function createDefillamaPrices(options: PriceApiOptions): PriceSource<unknown> {
  return {
    name: 'defillama',
    open: ({ chain, asOf }) => ({
      expects: () => false,
      async quote(tokens) {
        const coins = new Map(tokens.map((token) => [token, coinOf(chain, token)]))
        const asked = tokens.filter((token) => coins.get(token) !== undefined)
        const pages = pagesOf(asked, COINS_PER_CALL).map((page) => {
          const ofPage = page.flatMap((token) => coins.get(token) ?? [])
          const ask = () => findCoins(options, ofPage, asOf)
          return quotePage(page, ask, (token, found) => quoteFrom(token, at(found, coins.get(token) ?? '')))
        })
        return new Map((await Promise.all(pages)).flat())
      },
    }),
  }
}

/** `chain:address`, or `coingecko:id` for a chain's own coin. */
function coinOf(chain: Chain, { address }: Token): string | undefined {
  if (address !== chain.native.address) return chain.defillama === null ? undefined : `${chain.defillama}:${address}`
  const id = findCoinId(chain.native.symbol)
  if (id) return `coingecko:${id}`
  return chain.defillama && chain.wrappedNative ? `${chain.defillama}:${chain.wrappedNative}` : undefined
}

/** At a moment in Unix seconds; now unless given. */
async function findCoins(options: PriceApiOptions, coins: readonly string[], asOf?: number): Promise<unknown> {
  const answer = await getExactJson(
    'defillama',
    options,
    `/prices/${asOf === undefined ? 'current' : `historical/${asOf}`}/${coins.join(',')}?searchWidth=${SEARCH_WIDTH}`,
  )
  const found = at(answer, 'coins')
  if (typeof found !== 'object' || found === null) {
    throw new UpstreamError('invalid', 'defillama: the answer has no coins')
  }
  return found
}

/**
 * Rejects a price for other decimals than the token's: it is of another token, or the service failed to read the token.
 */
function quoteFrom(token: Token, coin: unknown): Quote | undefined {
  const usd = usdFrom(at(coin, 'price'))
  const confidence = numberFrom(at(coin, 'confidence'))
  const decimals = numberFrom(at(coin, 'decimals'))
  if (usd === undefined || confidence === undefined || confidence < 0 || confidence > 1) return undefined
  if (decimals !== undefined && decimals !== token.decimals) return undefined
  const asOf = numberFrom(at(coin, 'timestamp'))
  const { chain, address } = token
  const price = { chain, token: address, usd, source: 'defillama', confidence, ...(asOf !== undefined && { asOf }) }
  return { price }
}

/** USD per unit of a coin by its symbol, for conversions: `ETH`, `BTC`, `SOL`, `BNB`. */
export async function defillamaRate(options: PriceApiOptions, symbol: string): Promise<Decimal | undefined> {
  const id = findCoinId(symbol)
  return id === undefined ? undefined : defillamaCoin(options, id)
}

/** USD per unit of a coin by CoinGecko's name of it. */
async function defillamaCoin(options: PriceApiOptions, id: string): Promise<Decimal | undefined> {
  const coin = `coingecko:${id}`
  return usdFrom(at(await findCoins(options, [coin]), coin, 'price'))
}

const URL_VARIABLE = 'COFFER_DEFILLAMA_URL'

const optionsOf = (setting: ReadSetting): PriceApiOptions => ({ baseUrl: setting(URL_VARIABLE) ?? '' })

export const defillamaSource: PriceSourceModule<unknown> = {
  name: 'defillama',
  leavesNode: true,
  needsNoState: true,
  settings: [{ variable: URL_VARIABLE, kind: 'url', otherwise: 'https://coins.llama.fi' }],
  create: ({ setting }) => createDefillamaPrices(optionsOf(setting)),
  usdPerUnit: (setting, currency) => defillamaRate(optionsOf(setting), currency),
  usdPerCoin: (setting, id) => defillamaCoin(optionsOf(setting), id),
}
