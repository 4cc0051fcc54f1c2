import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { createPriceGraphs } from '../../prices/source-module.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainMeans, ChainReading } from '../chain-reading.ts'
import { datedPricesAt } from '../shared/dated-prices-at.ts'
import { createExplainPrice } from '../shared/explain-price.ts'
import { openAirdrops } from './airdrops/find-airdrops.ts'
import { createAccountProbe } from './collect/account-probe.ts'
import { collect } from './collect/collect.ts'
import type { SolanaContext } from './collect/context.ts'
import { createStoredLeads, type StoredLeads } from './collect/mint-leads.ts'
import { createProgramSearch } from './collect/used-programs.ts'
import { createWalletHistory } from './collect/wallet-history.ts'
import { createNativeRates } from './prices/native-rates.ts'
import { solanaPriceSources } from './prices/sources.ts'
import type { EarlierFinds } from './protocols/adapter.ts'
import { readMintTokens } from './reader/mints.ts'
import { createSolanaReader, type SolanaReader } from './reader/solana-reader.ts'

/** New pools are rare. */
const LISTED_MS = 24 * 60 * 60 * 1_000
const UNSCALED_MINTS = 50_000

export function openSolana(means: ChainMeans): ChainReading {
  const { chains, pools, stores, settings, clock, log } = means
  const openReader = (chain: string) => createSolanaReader(ofEnabled(pools, chain))
  const openFinal = (chain: string) => createSolanaReader(ofEnabled(pools, chain), { final: true })
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
  const finds = new Map([...chains.keys()].map((chain) => [chain, openFinds(chain, leads, clock)]))
  const context: SolanaContext = {
    chains,
    pools,
    stores,
    openReader,
    leads,
    findsOf: (chain) => ofEnabled(finds, chain),
    tokens,
    prices,
    unscaled: new BoundedMap(UNSCALED_MINTS),
    clock,
    log,
  }
  const search = createProgramSearch({
    store: stores.usedPrograms,
    pools,
    probe: createAccountProbe(openReader, context.findsOf, clock),
  })
  return {
    chains,
    tokens,
    async collect(chain, wallet, previous) {
      return { read: await collect(context, chain, wallet, previous?.read), plan: [], hash: null }
    },
    search: ({ key: chain }, wallet) => search({ chain, wallet }),
    // There is no hash to compare.
    isReplaced: async () => false,
    days: {
      kept: false,
      timeOf: async (chain) => (await openFinal(chain).clock()).time,
      collectFinal: (chain, wallet) => collect({ ...context, openReader: openFinal }, chain, wallet),
    },
    history: {
      ...createWalletHistory(context),
      pricesAt: (chain) => (asked) => datedPricesAt({ chains, tokens, openReader, datedPrices }, chain, asked),
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
    rates: createNativeRates(context),
    airdrops: openAirdrops(context, settings.airdrops),
  }
}

const openFinds = (chain: string, leads: StoredLeads, clock: Clock): EarlierFinds => ({
  leads: (family) => leads.of(chain, family),
  pools: createKept({ clock, freshMs: LISTED_MS, goodMs: 7 * LISTED_MS }),
})
