import { createProtocolContractStore, createUntrustedContractStore } from '../catalog/protocol-contract-store.ts'
import { createTokenCatalog } from '../catalog/token-catalog.ts'
import { createRefusingTokenStore, createTokenStore } from '../catalog/token-store.ts'
import { createTokens } from '../catalog/tokens.ts'
import type { Chain } from '../chains/chain.ts'
import { byKey, ofEnabled } from '../chains/chain-catalog.ts'
import type { ChainRates, ChainReading, ChainStores, ReadTokens } from '../chains/chain-reading.ts'
import type { ChainType, ChainTypes } from '../chains/chain-type.ts'
import { createNodeHealth } from '../chains/rpc/node-health.ts'
import type { ChainTypeSettings } from '../chains/settings.ts'
import type { KnownTokens } from '../chains/tokens.ts'
import type { Database } from '../db/database.ts'
import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { Token } from '../domain/token.ts'
import { type Clock, monotonicTimer, type Timer } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { createPools, type PoolPorts, poolGauges, proveAll, wrongEndpointsOf } from './create-pools.ts'
import { createDiscoveryStore, createUsedProgramStore } from './discovery-store.ts'
import { createRefresh } from './refresh.ts'
import { createWalletReadStore } from './wallet-read-store.ts'
import { createNoteUse } from './wallet-use.ts'

type Dependencies = {
  config: { chains: readonly Chain[]; tokens: readonly Token[]; endpoints: PoolPorts['endpoints'] }
  settings: ChainTypeSettings
  rpcVariable: PoolPorts['rpcVariable']
  database: Pick<Database, 'db'>
  stores: Pick<ChainStores, 'histories' | 'sums' | 'findTokenAccounts'>
  chainTypes: ChainTypes
  metrics: PoolPorts['metrics']
  clock: Clock
  timer?: Timer
  logger: Logger
}

export type Reading = ReturnType<typeof createReading>

export function createReading({
  config: { chains, endpoints, tokens },
  settings,
  rpcVariable,
  database: { db },
  stores: historyStores,
  chainTypes,
  metrics,
  clock,
  timer = monotonicTimer,
  logger: log,
}: Dependencies) {
  const enabled = chains.filter(({ key }) => endpoints.has(key))
  const nodes = createNodeHealth(clock)
  const observeNode: PoolPorts['metrics']['observeNode'] = (event) => {
    metrics.observeNode(event)
    nodes.observe(event)
  }
  const observed = { metrics: { observeNode }, clock, timer, log }
  const pools = createPools({ endpoints, rpcVariable, db, chainTypes, chains: byKey(enabled), ...observed })
  const catalog = createTokenCatalog({ chains, configTokens: tokens })
  const tokenStore = createTokenStore(db)
  const stores = { ...createStores(db), ...historyStores }
  const createChainReading = (chainType: ChainType) =>
    chainType.open({
      chains: byKey(enabled.filter(({ family }) => family === chainType.name)),
      pools,
      listed: catalog,
      tokens: (readMetadata) => createTokens({ catalog, store: tokenStore, readMetadata, clock }),
      stores,
      settings,
      clock,
      timer,
      log,
    })
  const byType: ReadonlyMap<string, ChainReading> = new Map(
    chainTypes.list.map((chainType) => [chainType.name, createChainReading(chainType)]),
  )
  const readings = [...byType.values()]
  const byChain = new Map(readings.flatMap((reading) => [...reading.chains.keys()].map((key) => [key, reading])))
  const readingOf = (chain: string): ChainReading | undefined => byChain.get(chain)
  const enabledReading = (chain: string): ChainReading => ofEnabled(byChain, chain)
  const familyOf = (wallet: Address) => chainTypes.ofWallet(wallet)?.name
  const store = createWalletReadStore(db)
  return {
    enabled,
    pools,
    nodes,
    catalog,
    readings,
    /** Never rejects. */
    proveEndpoints: () => proveAll(pools),
    /** Never rejects: the first read lists the rest. */
    async listAhead(): Promise<void> {
      for (const chain of enabled) {
        const { listAhead } = enabledReading(chain.key)
        await listAhead?.(chain).catch((err: unknown) =>
          log.debug(
            { err, chain: chain.key },
            'the contracts of a chain could not be listed ahead; the first read of the chain lists them',
          ),
        )
      }
    },
    wrongEndpoints: () => wrongEndpointsOf(pools),
    gauges: [...readings.flatMap(({ gauges = [] }) => gauges), ...poolGauges(pools)],
    byType,
    readingOf,
    enabledReading,
    familyOf,
    chainsOf: (wallet: Address) => enabled.filter(({ family }) => family === familyOf(wallet)).map(({ key }) => key),
    knownTokens: (chain: Chain): Promise<KnownTokens> => enabledReading(chain.key).tokens.of(chain),
    store,
    refresh: createRefresh({ chains: byKey(enabled), readingOf: enabledReading, store, clock, log }),
    noteUse: createNoteUse({ db, clock, log }),
    rates: ratesOf(readings.flatMap(({ rates }) => rates ?? [])),
    readTokens: readTokensBy(readingOf),
  }
}

export function ratesOf(chainTypes: readonly ChainRates[]): ChainRates {
  return {
    async usdPerUnit(currency) {
      for (const chainType of chainTypes) {
        const rate = await chainType.usdPerUnit(currency)
        if (rate) return rate
      }
      return undefined
    },
    async usdPerEach(currencies) {
      const found: (Decimal | undefined)[] = currencies.map(() => undefined)
      for (const chainType of chainTypes) {
        const missing = currencies.filter((_, index) => found[index] === undefined)
        const rates = missing.length > 0 ? await chainType.usdPerEach(missing) : []
        for (const [index, currency] of missing.entries()) found[currencies.indexOf(currency)] = rates[index]
      }
      return found
    },
  }
}

function readTokensBy(readingOf: (chain: string) => ChainReading | undefined): ReadTokens {
  return async (chain, ...asked) => {
    const readTokens = readingOf(chain)?.readTokens
    if (!readTokens) throw new UpstreamError('not-allowed', `${chain} is not enabled`)
    return readTokens(chain, ...asked)
  }
}

const createStores = (db: Database['db']) => ({
  protocolContracts: createProtocolContractStore<EvmAddress>(db),
  mintLeads: createProtocolContractStore<SolanaAddress>(db),
  untrustedContracts: createUntrustedContractStore(db),
  discoveries: createDiscoveryStore(db),
  refusals: createRefusingTokenStore(db),
  usedPrograms: createUsedProgramStore(db),
})

export type FindTokens = (chain: string, tokens: readonly Address[]) => Promise<(token: Address) => Token | undefined>

export function createFindTokens({ enabled, knownTokens }: Reading): FindTokens {
  return async (key, tokens) => {
    const chain = enabled.find((each) => each.key === key)
    const known = chain && (await knownTokens(chain))
    await known?.load(tokens)
    return (token) => known?.find(token)
  }
}
