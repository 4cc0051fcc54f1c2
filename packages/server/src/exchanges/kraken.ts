import type { kraken as KrakenClient } from 'ccxt'
import { z } from 'zod'
import { ZERO } from '../domain/decimal.ts'
import { type AccountReader, amount, codeOf, type Holding, isListed, type SignedIn } from './account-reader.ts'
import type { ExchangeAccountKind, KeyPermissions } from './exchange.ts'

// Kraken's Spot REST API.

const extendedBalance = z.object({
  result: z.record(z.string().min(1), z.object({ balance: amount, credit_used: amount.optional() })),
})
const openPositions = z.object({
  result: z.record(
    z.string(),
    z.object({
      pair: z.string(),
      type: z.enum(['buy', 'sell']),
      cost: amount,
      vol: amount.refine((volume) => volume.gt(0)),
      vol_closed: amount,
    }),
  ),
})
const keyInfo = z.object({ result: z.object({ permissions: z.array(z.string()) }) })

const withdrawing: readonly string[] = ['withdraw-funds', 'add-withdraw-address', 'update-withdraw-address']
/** `add-funds` creates deposit addresses, `create-ws-token` only reads. */
const harmless = /^(query-.+|export-data|add-funds|create-ws-token)$/

/** S: staked, M: opted in, F: automatic, B: yield product, P: parachain bond, T: tokenized asset, HOLD: on hold. */
const suffixes: Readonly<Record<string, ExchangeAccountKind>> = {
  S: 'earn',
  M: 'earn',
  F: 'earn',
  B: 'earn',
  P: 'earn',
  T: 'spot',
  HOLD: 'spot',
}

export const kraken: AccountReader = {
  // Two calls a minute cost no allowance; ccxt would wait three seconds between them.
  settings: { enableRateLimit: false },
  hasGrowingNonces: true,
  marketParams: {},

  async permissions({ client, call }): Promise<KeyPermissions> {
    const { permissions } = keyInfo.parse(await call(() => (client as KrakenClient).privatePostGetApiKeyInfo())).result
    return {
      trade: permissions.some((name) => !harmless.test(name) && !withdrawing.includes(name)),
      withdraw: permissions.some((name) => withdrawing.includes(name)),
    }
  },

  async read(signedIn) {
    const account = signedIn as SignedIn<KrakenClient>
    const { client } = account
    const { result } = extendedBalance.parse(await account.call(() => client.privatePostBalanceEx()))
    const balances = Object.entries(result).map(([id, { balance, credit_used }]) => ({
      ...assetOf(client, id),
      owned: balance,
      borrowed: credit_used ?? ZERO,
    }))
    return [balances, await account.attempt('margin', () => positionsOf(account))]
  },
}

/** `XBT.M` is Bitcoin that earns, `DOT28.S` is DOT staked for 28 days. */
function assetOf(client: KrakenClient, id: string): { account: ExchangeAccountKind; code: string } {
  const [base = id, suffix] = id.split('.')
  const account = suffix === undefined ? 'spot' : suffixes[suffix]
  if (account === undefined) return { account: 'spot', code: codeOf(client, id) }
  const named = codeOf(client, base)
  const isKnown = isListed(client, named)
  const code = isKnown || account === 'spot' ? named : codeOf(client, base.replace(/\d{2}$/, ''))
  // Ether staked before the merge.
  return { account, code: code === 'ETH2' ? 'ETH' : code }
}

/** Counts the open part at its opening cost. The collateral stays in the spot balance. */
async function positionsOf({ client, call }: SignedIn<KrakenClient>): Promise<Holding[]> {
  const { result } = openPositions.parse(await call(() => client.privatePostOpenPositions()))
  return Object.values(result).flatMap(({ pair, type, cost, vol, vol_closed }) => {
    const { base, quote } = marketOf(client, pair)
    const volume = vol.minus(vol_closed)
    const price = cost.times(volume).div(vol)
    const [bought, lent] = type === 'buy' ? [base, quote] : [quote, base]
    const [owned, borrowed] = type === 'buy' ? [volume, price] : [price, volume]
    return [
      { account: 'margin' as const, code: bought, owned, borrowed: ZERO },
      { account: 'margin' as const, code: lent, owned: ZERO, borrowed },
    ]
  })
}

/** Pairs are named by ID (`XXBTZUSD`) or `altname` (`XBTUSD`). */
function marketOf(client: KrakenClient, pair: string): { base: string; quote: string } {
  const market = Object.values(client.markets ?? {}).find(({ id, info }) => id === pair || info.altname === pair)
  if (!market) throw new Error('a position on a pair that does not exist')
  return market
}
