import { ZERO } from '../domain/decimal.ts'
import { type AccountReader, type Holding, type SignedIn, toAmount } from './account-reader.ts'
import type { ExchangeAccountKind, ExchangeGap, KeyPermissions } from './exchange.ts'

type Params = Readonly<Record<string, string | boolean>>
type FurtherAccount = { account: ExchangeAccountKind; params: Params }

const funding: FurtherAccount = { account: 'funding', params: { type: 'funding' } }
const margin: FurtherAccount = { account: 'margin', params: { type: 'margin' } }

/** Most exchanges not listed ignore `type` and would return the main account twice. */
export const furtherAccounts: Readonly<Record<string, readonly FurtherAccount[]>> = {
  bequant: [funding],
  bigone: [funding],
  bingx: [funding],
  bitfinex: [funding, margin],
  bybit: [funding],
  bybiteu: [funding],
  bybitid: [funding],
  bydfi: [funding],
  coinex: [margin],
  digifinex: [margin],
  fmfwio: [funding],
  hitbtc: [funding],
  // A unified account (`uta`) returns all of its parts.
  kucoin: [{ account: 'funding', params: { type: 'funding', uta: false } }],
  myokx: [funding],
  okx: [funding],
  okxus: [funding],
  whitebit: [{ account: 'funding', params: { account: 'main' } }],
}

export function otherExchange(key: string): AccountReader {
  return {
    settings: {
      enableRateLimit: true,
      options: { defaultType: 'spot', fetchMarkets: { types: ['spot'] } },
    },
    hasGrowingNonces: false,
    marketParams: {},
    permissions: async (): Promise<KeyPermissions> => ({ trade: null, withdraw: null }),
    async read(account) {
      // Without spot trading, the only account is for derivatives.
      const main = account.client.has['spot'] === false ? 'margin' : 'spot'
      const found: (Holding[] | ExchangeGap)[] = [await balancesOf(account, main, {})]
      for (const { account: kind, params } of furtherAccounts[key] ?? []) {
        found.push(await account.attempt(kind, () => balancesOf(account, kind, params)))
      }
      return found
    },
  }
}

async function balancesOf(
  { client, call }: SignedIn,
  account: ExchangeAccountKind,
  params: Params,
): Promise<Holding[]> {
  const balances = await call(() => client.fetchBalance({ ...params }))
  return Object.keys(balances['total'] ?? {}).map((code) => {
    const { total, free, debt } = balances[code] ?? {}
    return { account, code, owned: amountOf(total ?? free), borrowed: debt === undefined ? ZERO : amountOf(debt) }
  })
}

/** Typed as number by ccxt, but its clients are set to return strings. */
function amountOf(value: unknown) {
  const amount = typeof value === 'string' ? toAmount(value) : undefined
  if (!amount) throw new Error('a balance that is no amount')
  return amount
}
