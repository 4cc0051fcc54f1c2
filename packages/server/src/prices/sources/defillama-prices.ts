import type { Chain } from '../../chains/chain.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import { pagesOf } from '../../lib/pages.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { at, numberFrom, usdFrom } from '../exact-json.ts'
import type { PriceSource, Quote } from '../price-source.ts'
import type { PriceSourceModule, ReadSetting } from '../source-module.ts'
import { findCoinId, getExactJson, type PriceApiOptions, quotePage } from './price-api.ts'

/** From about 250 coins on the URL is refused. */
const COINS_PER_CALL = 150
/** Age, or distance of a past price. */
const SEARCH_WIDTH = '4h'

/** Source: `GET /prices/current/{coins}`, `/prices/historical/{timestamp}/{coins}`. */
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
          const ask = async () => findCoins(options, ofPage, await asOf)
          return quotePage(page, ask, (token, found) => quoteFrom(token, at(found, coins.get(token) ?? '')))
        })
        return new Map((await Promise.all(pages)).flat())
      },
    }),
  }
}

function coinOf(chain: Chain, { address }: Token): string | undefined {
  if (address !== chain.native.address) return chain.defillama === null ? undefined : `${chain.defillama}:${address}`
  const id = findCoinId(chain.native.symbol)
  if (id) return `coingecko:${id}`
  return chain.defillama && chain.wrappedNative ? `${chain.defillama}:${chain.wrappedNative}` : undefined
}

/** `asOf`: Unix seconds. */
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

/** Other decimals: another token, or a failed read. */
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

export async function defillamaRate(options: PriceApiOptions, symbol: string): Promise<Decimal | undefined> {
  const id = findCoinId(symbol)
  return id === undefined ? undefined : defillamaCoin(options, id)
}

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
