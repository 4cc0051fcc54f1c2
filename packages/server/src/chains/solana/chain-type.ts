import { solanaAddresses } from '@coffer/contract'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import { NATIVE_SOL, WRAPPED_SOL } from '../../domain/solana-address.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGate } from '../../lib/concurrency.ts'
import { createKept } from '../../lib/kept.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { upstreamOnly } from '../../lib/upstream-error.ts'
import type { FxRate } from '../../prices/fx-rate.ts'
import { createPriceGraphs } from '../../prices/source-module.ts'
import { BLOCK_SECONDS, type Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainMeans, ChainReading } from '../chain-reading.ts'
import { type ChainType, keyVerdict, type SignedText } from '../chain-type.ts'
import type { RpcRequest } from '../rpc/json-rpc.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { datedPricesAt } from '../shared/dated-prices-at.ts'
import { createExplainPrice } from '../shared/explain-price.ts'
import { finalSlotRequest, firstSlotRequest } from './activity/signature-lists.ts'
import { airdropRow } from './airdrops/airdrop-rows.ts'
import { readListFile } from './airdrops/allocation-list.ts'
import { readAirdrops } from './airdrops/find-airdrops.ts'
import { createAskProofs } from './airdrops/http-proofs.ts'
import { collect } from './collect/collect.ts'
import type { SolanaContext } from './collect/context.ts'
import { createStoredLeads } from './collect/mint-leads.ts'
import { createAccountProbe, createProgramSearch } from './collect/used-programs.ts'
import { bringUpToDate, followWallets } from './collect/wallet-history.ts'
import { publishedSources } from './distributors/published-sources.ts'
import { nativeRate, RATE_VALID_MS } from './prices/native-rates.ts'
import { solanaPriceSources } from './prices/sources.ts'
import type { EarlierFinds } from './protocols/adapter.ts'
import { solanaAdapters } from './protocols/protocols.ts'
import { readMintTokens } from './reader/mints.ts'
import { createSolanaReader, SOLANA_RPC, type SolanaReader } from './reader/solana-reader.ts'
import { invalidAnswer } from './rpc-values.ts'

const SOLANA = 'solana'

/** `101` is the main network's ID in Solana's token lists. */
const solana: Chain = {
  key: SOLANA,
  aliases: ['sol'],
  family: SOLANA,
  chainId: '101',
  name: 'Solana',
  native: { address: NATIVE_SOL, symbol: 'SOL', name: 'Solana', decimals: 9 },
  wrappedNative: WRAPPED_SOL,
  multicall3: null,
  nativeErc20s: [],
  blockSource: 'opcode',
  genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  finality: 32,
  blockSeconds: BLOCK_SECONDS,
  isLocal: false,
  color: '#9945ff',
  explorer: {
    token: 'https://solscan.io/token/',
    transaction: 'https://solscan.io/tx/',
    address: 'https://solscan.io/account/',
  },
  altExplorer: null,
  publicRpcUrls: [],
  defillama: 'solana',
  coingecko: 'solana',
}

/** Excludes Tron addresses: 34 digits for 25 bytes. */
const ADDRESS = /^(?!T[1-9A-HJ-NP-Za-km-z]{33}$)[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const solanaChainType: ChainType = {
  name: SOLANA,
  chains: [solana],
  sections: [],
  addressForm: { pattern: '[1-9A-HJ-NP-Za-km-z]{32,44}', described: 'base58 on Solana' },
  addresses: solanaAddresses,
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  // Case-sensitive.
  spell: (address) => address,
  poolOptions: SOLANA_RPC,
  proofOf:
    ({ genesis, isLocal }) =>
    async (endpoint) => {
      // A local cluster has its own genesis hash.
      if (isLocal || genesis === null) return undefined
      const shown = await endpoint.request(genesisHashRequest)
      return shown === genesis ? undefined : `it shows genesis hash ${shown}, expected ${genesis}`
    },
  examine: examineSolana,
  // Ed25519, in base58 or base64.
  verifyOwner: async (signed) => keyVerdict(isOfKey(signed)),
  signIn: { network: 'Solana', chainId: 'mainnet', spell: (address) => address },
  protocols: solanaAdapters.map(({ key, title, siteUrl }) => ({ key, name: title, chain: SOLANA, siteUrl })),
  protocolAdapters: new Map(),
  airdrops: { chain: SOLANA, sources: publishedSources, row: airdropRow },
  open: createSolanaReading,
  priceSources: solanaPriceSources,
}

const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  parse(result) {
    if (typeof result === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(result)) return result
    throw invalidAnswer('expected a hash')
  },
}

async function examineSolana(pool: RpcPool, clock: Clock) {
  const session = pool.session()
  const startedAt = performance.now()
  const slot = await session.request(finalSlotRequest)
  const latencyMs = Math.round(performance.now() - startedAt)
  const time = await session
    .request({ method: 'getBlockTime', params: [Number(slot)], parse: (result) => result })
    .catch(orNull)
  const first = await session.request(firstSlotRequest).catch(orNull)
  return {
    head: slot.toString(),
    lagSeconds: typeof time === 'number' ? Math.round(clock.now() / 1_000) - time : null,
    latencyMs,
    firstSlot: first === null ? null : first.toString(),
  }
}

function orNull(error: unknown): null {
  upstreamOnly(error)
  return null
}

/** Decoding base58 takes quadratic time. */
const MOST_CHARACTERS = 100

function isOfKey({ address, text, signature }: SignedText): boolean {
  if (signature.length > MOST_CHARACTERS) return false
  try {
    const bytes = signature.endsWith('=') ? base64.decode(signature) : base58.decode(signature)
    // RFC 8032: ZIP 215 accepts keys that anyone can sign for.
    return ed25519.verify(bytes, Buffer.from(text), base58.decode(address), { zip215: false })
  } catch {
    return false
  }
}

/** New pools are rare. */
const LISTED_MS = 24 * 60 * 60 * 1_000
const UNSCALED_MINTS = 50_000
const FOLLOWED_AT_ONCE = 4

/** Throws `StartupError` for an unreadable or wrong list of an airdrop. */
function createSolanaReading(means: ChainMeans): ChainReading {
  const { context, datedPrices } = contextOf(means)
  const { chains, tokens, prices, openReader, clock, log } = context
  const openFinal = (chain: string) => createSolanaReader(ofEnabled(means.pools, chain), { final: true })
  const probe = createAccountProbe(openReader, context.findsOf, clock)
  const search = createProgramSearch(means.stores.usedPrograms, means.pools, probe)
  const nativeRates = createKept<FxRate | undefined>({ clock, freshMs: RATE_VALID_MS })
  const rates = { ...context, nativeRates, warn: createSampledWarn(log) }
  const { http, allocations, urls } = means.settings.airdrops
  const sources = { http, lists: allocations.map(readListFile), ask: createAskProofs(urls) }
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
      bringUpToDate: (of, save) => bringUpToDate(context, of, save),
      follow: (chain, wallets, { save }, fail) => followWallets(context, chain, wallets, save, fail),
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
    rates: {
      usdPerUnit: (currency) => nativeRate(rates, currency),
      usdPerEach: (currencies) =>
        Promise.all(currencies.map(async (currency) => (await nativeRate(rates, currency))?.usd)),
    },
    airdrops: (chain, wallet) => readAirdrops(context, sources, chain, wallet),
  }
}

function contextOf({ chains, pools, stores, settings, clock, log, ...means }: ChainMeans) {
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
  const findsOf = (chain: string): EarlierFinds => ({
    leads: (family) => leads.of(chain, family),
    pools: createKept({ clock, freshMs: LISTED_MS, goodMs: 7 * LISTED_MS }),
  })
  const finds = new Map([...chains.keys()].map((chain) => [chain, findsOf(chain)]))
  const context: SolanaContext = {
    chains,
    pools,
    stores,
    openReader: (chain) => createSolanaReader(ofEnabled(pools, chain)),
    leads,
    findsOf: (chain) => ofEnabled(finds, chain),
    tokens: means.tokens<SolanaReader>(readMintTokens),
    prices,
    unscaled: new BoundedMap(UNSCALED_MINTS),
    followed: createGate(FOLLOWED_AT_ONCE),
    clock,
    log,
  }
  return { context, datedPrices }
}
