import { NAV_CURRENCIES } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import { parseSymbolSource } from '../../prices/symbol-prices.ts'
import type { BalanceAsset } from './balances.ts'

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
export async function whyUnpriced(
  asset: BalanceAsset,
  { endpoints, prices: { sources } }: PricingSettings,
  rates: FxRates,
): Promise<string | undefined> {
  if ('chain' in asset) return endpoints.has(asset.chain) ? undefined : `${asset.chain} is not among COFFER_CHAINS.`
  const kind = parseSymbolSource(asset.priceSource)?.kind
  if (kind === 'fx')
    return (await hasRate(asset.symbol, rates)) ? undefined : `No source has a rate of ${asset.symbol} now.`
  const isApi = kind === 'coingecko' || kind === 'defillama'
  return isApi && !sources.includes(kind) ? `${kind} is not among COFFER_PRICES.` : undefined
}

async function hasRate(currency: string, rates: FxRates): Promise<boolean> {
  const rate = rates.usdPerUnit(currency)
  return (await endedWithin(rate, LIMIT_MS)) && (await rate) !== undefined
}
