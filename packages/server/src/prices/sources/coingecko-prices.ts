import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import { pagesOf } from '../../lib/pages.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { at, numberFrom, usdFrom } from '../exact-json.ts'
import { type PriceSource, type Quote, sameCoin } from '../price-source.ts'
import type { PriceSourceModule, ReadSetting } from '../source-module.ts'
import { findCoinId, getExactJson, type PriceApiOptions, quotePage } from './price-api.ts'

export type CoingeckoOptions = PriceApiOptions & { apiKey?: string }

const ADDRESSES_PER_CALL = 100
const CONFIDENCE = 0.9

/** Source: `GET /simple/token_price/{platform}`, `/simple/price` for native coins. Current prices only. */
export function createCoingeckoPrices(options: CoingeckoOptions): PriceSource<unknown> {
  return {
    name: 'coingecko',
    open: ({ chain, asOf }) => ({
      expects: () => false,
      async quote(tokens) {
        if (asOf !== undefined) return new Map()
        const coins = tokens.filter(({ address }) => address === chain.native.address)
        const contracts = tokens.filter(({ address }) => address !== chain.native.address)
        const asked = [
          ...coins.map((coin) => quotePage([coin], () => coinPrices(options, chain), quoteFrom)),
          ...pagesOf(contracts, ADDRESSES_PER_CALL).map((page) =>
            quotePage(page, () => tokenPrices(options, chain, page), quoteFrom),
          ),
        ]
        return new Map((await Promise.all(asked)).flat())
      },
    }),
  }
}

type Answer = (address: Address) => unknown

async function tokenPrices(options: CoingeckoOptions, chain: Chain, tokens: readonly Token[]): Promise<Answer> {
  if (chain.coingecko === null) return () => undefined
  const addresses = tokens.map(({ address }) => address).join(',')
  const answer = await ask(options, `/simple/token_price/${chain.coingecko}?contract_addresses=${addresses}&${USD}`)
  return (address) => at(answer, address)
}

async function coinPrices(options: CoingeckoOptions, chain: Chain): Promise<Answer> {
  const id = findCoinId(chain.native.symbol)
  if (id) {
    const answer = await ask(options, `/simple/price?ids=${id}&${USD}`)
    return () => at(answer, id)
  }
  const [, wrapped] = sameCoin(chain, chain.native.address)
  if (!wrapped || chain.coingecko === null) return () => undefined
  const answer = await ask(options, `/simple/token_price/${chain.coingecko}?contract_addresses=${wrapped}&${USD}`)
  return () => at(answer, wrapped)
}

const USD = 'vs_currencies=usd&include_last_updated_at=true&precision=full'

function quoteFrom({ chain, address }: Token, answer: Answer): Quote | undefined {
  const found = answer(address)
  const usd = usdFrom(at(found, 'usd'))
  if (usd === undefined) return undefined
  const asOf = numberFrom(at(found, 'last_updated_at'))
  const price = { chain, token: address, usd, source: 'coingecko', confidence: CONFIDENCE }
  return { price: { ...price, ...(asOf !== undefined && { asOf }) } }
}

async function ask(options: CoingeckoOptions, path: string): Promise<unknown> {
  const answer = await getExactJson('coingecko', options, path, keyHeader(options))
  if (typeof answer === 'object' && answer !== null) return answer
  throw new UpstreamError('invalid', 'coingecko: the answer is not an object')
}

function keyHeader({ apiKey, baseUrl }: CoingeckoOptions): Record<string, string> {
  if (apiKey === undefined) return {}
  return baseUrl.startsWith('https://pro-api.') ? { 'x-cg-pro-api-key': apiKey } : { 'x-cg-demo-api-key': apiKey }
}

/** National currencies derive from a bitcoin's price in them and in USD, of one answer. */
export async function coingeckoRate(options: CoingeckoOptions, currency: string): Promise<Decimal | undefined> {
  const id = findCoinId(currency)
  if (id) return coingeckoCoin(options, id)
  const code = currency.toLowerCase()
  const answer = await ask(options, `/simple/price?ids=bitcoin&vs_currencies=usd,${code}&precision=full`)
  const usd = usdFrom(at(answer, 'bitcoin', 'usd'))
  const foreign = usdFrom(at(answer, 'bitcoin', code))
  return usd && foreign && usd.div(foreign)
}

async function coingeckoCoin(options: CoingeckoOptions, id: string): Promise<Decimal | undefined> {
  return usdFrom(at(await ask(options, `/simple/price?ids=${id}&vs_currencies=usd&precision=full`), id, 'usd'))
}

const [URL_VARIABLE, KEY_VARIABLE] = ['COFFER_COINGECKO_URL', 'COFFER_COINGECKO_KEY']

function optionsOf(setting: ReadSetting): CoingeckoOptions {
  const apiKey = setting(KEY_VARIABLE)
  return { baseUrl: setting(URL_VARIABLE) ?? '', ...(apiKey !== undefined && { apiKey }) }
}

export const coingeckoSource: PriceSourceModule<unknown> = {
  name: 'coingecko',
  leavesNode: true,
  needsNoState: true,
  settings: [
    { variable: URL_VARIABLE, kind: 'url', otherwise: 'https://api.coingecko.com/api/v3' },
    { variable: KEY_VARIABLE, kind: 'key' },
  ],
  create: ({ setting }) => createCoingeckoPrices(optionsOf(setting)),
  usdPerUnit: (setting, currency) => coingeckoRate(optionsOf(setting), currency),
  usdPerCoin: (setting, id) => coingeckoCoin(optionsOf(setting), id),
}
