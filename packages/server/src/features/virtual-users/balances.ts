import { NAV_CURRENCIES } from '@coffer/contract'
import { sql } from 'kysely'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal, formatDecimal } from '../../domain/decimal.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import { parseSymbolSource } from '../../prices/symbol-prices.ts'

/** A token, or a symbol in upper case with its price source (see `parseSymbolSource`). */
export type BalanceAsset = { chain: string; contract: Address } | { symbol: string; priceSource: string }

/** `change`: ascending number of the change. */
export type Balance = { asset: BalanceAsset; amount: Decimal; change: bigint }

type BalanceChange = { virtualUserId: string; asset: BalanceAsset; amount: Decimal; changedAt: Date }

export async function recordBalance(db: Db, change: BalanceChange): Promise<void> {
  const { chain = null, contract = null } = 'chain' in change.asset ? change.asset : {}
  const { symbol = null, priceSource = null } = 'symbol' in change.asset ? change.asset : {}
  await db
    .insertInto('virtual_balance_change')
    .values({
      chain,
      contract,
      symbol,
      price_source: priceSource,
      virtual_user_id: change.virtualUserId,
      amount: formatDecimal(change.amount),
      changed_at: change.changedAt,
    })
    .execute()
}

/** Zero amounts included; chains first, by key. */
export async function currentBalances(db: Db, virtualUserId: string): Promise<Balance[]> {
  const rows = await db
    .selectFrom('virtual_balance_change')
    .distinctOn(['chain', 'contract', 'symbol'])
    .select(['chain', 'contract', 'symbol', 'price_source', 'amount', 'number'])
    .where('virtual_user_id', '=', virtualUserId)
    .where('changed_at', '<=', sql<Date>`now()`)
    .orderBy('chain')
    .orderBy('contract')
    .orderBy('symbol')
    .orderBy('changed_at', 'desc')
    .orderBy('number', 'desc')
    .execute()
  return rows.flatMap(({ chain, contract, symbol, price_source, amount, number }): Balance[] => {
    const balance = { amount: decimal(amount), change: number }
    if (chain !== null && contract !== null) return [{ asset: { chain, contract }, ...balance }]
    if (symbol !== null && price_source !== null) return [{ asset: { symbol, priceSource: price_source }, ...balance }]
    return []
  })
}

const SYMBOL = /^[\w.$+-]{1,32}$/
/** Unresponsive nodes must not delay the view. */
const LIMIT_MS = 5_000

export type AssetProblem = 'chain' | 'contract' | 'symbol' | 'price source' | 'currency'
type CheckedAsset = { asset: BalanceAsset } | { problem: AssetProblem }

export type AssetFacts = {
  chains: readonly Chain[]
  chainTypes: ChainTypes
  readsTokens(chain: Chain): boolean
}

export function checkAsset(asset: BalanceAsset, { chains, chainTypes, readsTokens }: AssetFacts): CheckedAsset {
  if ('symbol' in asset) return checkSymbol(asset)
  const chain = findChain(asset.chain, chains)
  if (!chain || !readsTokens(chain)) return { problem: 'chain' }
  const chainType = chainTypes.ofWallet(asset.contract)
  if (chainType?.name !== chain.family) return { problem: 'contract' }
  return { asset: { chain: chain.key, contract: chainType.spell(asset.contract) } }
}

function checkSymbol({ symbol, priceSource }: Extract<BalanceAsset, { symbol: string }>): CheckedAsset {
  if (!SYMBOL.test(symbol)) return { problem: 'symbol' }
  if (parseSymbolSource(priceSource) === undefined) return { problem: 'price source' }
  const spelled = symbol.toUpperCase()
  const isCurrency = NAV_CURRENCIES.some((currency) => currency === spelled)
  if (priceSource === 'fx' && !isCurrency) return { problem: 'currency' }
  return { asset: { symbol: spelled, priceSource } }
}

export type PricingSettings = { endpoints: { has(chain: string): boolean }; prices: { sources: readonly string[] } }

/** Undefined if the asset can be priced. */
export async function whyUnpriced(asset: BalanceAsset, { endpoints, prices }: PricingSettings, rates: FxRates) {
  if ('chain' in asset) return endpoints.has(asset.chain) ? undefined : `${asset.chain} is not among COFFER_CHAINS.`
  const kind = parseSymbolSource(asset.priceSource)?.kind
  if (kind === 'fx') {
    const rate = rates.usdPerUnit(asset.symbol)
    const isKnown = (await endedWithin(rate, LIMIT_MS)) && (await rate) !== undefined
    return isKnown ? undefined : `No source has a rate of ${asset.symbol} now.`
  }
  const isApi = kind === 'coingecko' || kind === 'defillama'
  return isApi && !prices.sources.includes(kind) ? `${kind} is not among COFFER_PRICES.` : undefined
}
