import type { Token } from '../../domain/token.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { PriceGraph } from '../../prices/price-graph.ts'
import { createPriceGraphs } from '../../prices/source-module.ts'
import type { Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainMeans, ChainReading } from '../chain-reading.ts'
import { createDatedPricesAt } from '../shared/dated-prices-at.ts'
import { createExplainPrice } from '../shared/explain-price.ts'
import { readFinalWallet } from './activity/final-wallet.ts'
import { finalSlot, solanaActivity } from './activity/wallet-activity.ts'
import { openAirdrops } from './airdrops/open-airdrops.ts'
import { createAccountProbe } from './collect/account-probe.ts'
import { createCollect } from './collect/collect.ts'
import { createStoredLeads, type StoredLeads } from './collect/mint-leads.ts'
import { createReadHistory } from './collect/read-history.ts'
import { createReconcile } from './collect/reconcile.ts'
import { createUsedPrograms } from './collect/used-programs.ts'
import { createWalletHistory } from './collect/wallet-history.ts'
import { createNativeRates } from './prices/native-rates.ts'
import { solanaPriceSources } from './prices/sources.ts'
import type { Listing } from './protocols/adapter.ts'
import { createSolanaAdapters } from './protocols/protocols.ts'
import { createUnscaledMints, readMintTokens } from './reader/mints.ts'
import { createSolanaReader, type SolanaReader } from './reader/solana-reader.ts'

/** New pools are rare. */
const LISTED_MS = 24 * 60 * 60 * 1_000

export function openSolana(means: ChainMeans): ChainReading {
  const { chains, pools, stores, settings, clock, log } = means
  const opening =
    (terms: { final?: true }) =>
    (chain: string): SolanaReader =>
      createSolanaReader(ofEnabled(pools, chain), terms)
  const openReader = opening({})
  const openFinal = opening({ final: true })
  const tokens = means.tokens<SolanaReader>(readMintTokens)
  const { prices, datedPrices } = createPriceGraphs(solanaPriceSources, {
    names: settings.prices.sources,
    context: {
      setting: settings.prices.setting,
      overrides: settings.prices.overrides,
      // Case-sensitive.
      spell: (address) => address,
    },
    log,
  })
  const leads = createStoredLeads(stores.mintLeads, clock)
  const adaptersOf = openAdapters([...chains.keys()], leads, clock)
  const probe = createAccountProbe({ adaptersOf, openReader, clock })
  const programs = createUsedPrograms({ store: stores.usedPrograms, pools, probe })
  const unscaled = createUnscaledMints()
  const parts = { adaptersOf, leads, tokens, prices, unscaled, usedPrograms: programs.of, clock, log }
  const collect = createCollect({ ...parts, openReader })
  const collectFinal = createCollect({ ...parts, openReader: openFinal })
  const histories = createWalletHistory({
    pools,
    store: stores.histories,
    findTokenAccounts: stores.findTokenAccounts,
    readWallet: readFinalWallet,
    findSlot: finalSlot,
    findActivity: solanaActivity,
    read: createReadHistory({ chains, adaptersOf, tokens, unscaled, openReader }),
    reconcile: createReconcile(stores.sums),
  })
  return {
    chains,
    tokens,
    async collect(chain, wallet, previous) {
      return { read: await collect(chain, wallet, previous?.read), plan: [], hash: null }
    },
    search: (chain, wallet) => programs.advance(chain, wallet),
    // There is no hash to compare.
    isReplaced: async () => false,
    days: {
      kept: false,
      timeOf: async (chain) => (await openFinal(chain).clock()).time,
      collectFinal: (chain, wallet) => collectFinal(chain, wallet),
    },
    history: {
      ...histories,
      pricesAt: createDatedPricesAt({ chains, tokens, openReader, datedPrices }),
      // The search reconciles by itself.
      reconcile: async () => [],
      naturesOf: async () => () => ({ rebasing: false, ofProtocol: false }),
    },
    // Pool shares are read only with a wallet's positions.
    explainPrice: createExplainPrice<SolanaReader>({
      chains,
      tokens,
      prices,
      read: async (chain, work) => work(openReader(chain)),
      blockOf: async (reader) => {
        const { slot, time } = await reader.clock()
        return { number: slot, time }
      },
    }),
    rates: createNativeRates({ chains, clock, log, priceOf: unitPrices(prices, openReader) }),
    airdrops: openAirdrops({ chains, settings: settings.airdrops, openReader, tokens, prices, log }),
  }
}

function unitPrices(prices: PriceGraph<SolanaReader>, openReader: (chain: string) => SolanaReader) {
  return async (chain: Chain, token: Token) => {
    const session = prices.open({ chain, reader: openReader(chain.key) })
    const priced = await session.price([{ token, amountRaw: 10n ** BigInt(token.decimals) }])
    return priced.get(token.address)
  }
}

function openAdapters(chains: readonly string[], leads: Pick<StoredLeads, 'of'>, clock: Clock) {
  const adapters = new Map(
    chains.map((chain) => {
      const listings = createKept<Listing>({ clock, freshMs: LISTED_MS, goodMs: 7 * LISTED_MS })
      return [chain, createSolanaAdapters((adapter) => leads.of(chain, adapter), listings)]
    }),
  )
  return (chain: string) => adapters.get(chain) ?? []
}
