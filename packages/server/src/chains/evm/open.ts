import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import type { GaugeSource } from '../../lib/metrics.ts'
import { createPriceGraphs, fxApisOf } from '../../prices/source-module.ts'
import type { Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainMeans, ChainRates, ChainReading } from '../chain-reading.ts'
import { OtherBlock } from '../rpc/json-rpc.ts'
import { patientPool } from '../rpc/patient-pool.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { SeenBlock } from '../seen-block.ts'
import { createExplainPrice } from '../shared/explain-price.ts'
import { addressesWithCode } from './activity/account-states.ts'
import { findBlockAtTime } from './block-at-time.ts'
import { askPresence } from './blocks.ts'
import { createApprovalReading } from './collect/approval-reading.ts'
import { atOneBlock } from './collect/at-one-block.ts'
import { createCollect } from './collect/collect.ts'
import { createContractOrigins } from './collect/contract-origins.ts'
import { createDiscovery } from './collect/discovery.ts'
import { createPricesAt } from './collect/prices-at.ts'
import { createProtocolContracts, type ProtocolContracts } from './collect/protocol-contracts.ts'
import { createReadTokens } from './collect/read-tokens.ts'
import { createReceiptsOf } from './collect/receipt-book.ts'
import { createRecognise } from './collect/recognise.ts'
import { createRefusingTokens } from './collect/refusing-tokens.ts'
import { createUntrustedContracts, type UntrustedContracts } from './collect/untrusted-contracts.ts'
import { createMoreKeys, type SearchedKeys, searchedKeys } from './collect/wallet-keys.ts'
import { createExecutionReading } from './execution-reading.ts'
import { openEvmHistory } from './open-history.ts'
import { createFxRates } from './prices/fx-rates.ts'
import { oracleLens } from './prices/oracle-lens.bytecode.ts'
import { poolLens } from './prices/pool-lens.bytecode.ts'
import { evmPriceSources } from './prices/sources.ts'
import type { ProtocolDeployment } from './protocols/adapter.ts'
import { bindProtocol, protocolLenses, protocolRows } from './protocols/protocols.ts'
import type { Batches } from './reader/batch-queue.ts'
import { createEvmReader, openBatches } from './reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './reader/evm-reader.ts'
import { saleProbe } from './reader/sale-probe.ts'
import { createSharedReaders } from './reader/shared-readers.ts'
import { readTokenMetadata } from './token-metadata.ts'

/** `isPatient`: waits while an endpoint limits the rate. */
type Opening = {
  plan?: readonly PlannedCall[] | undefined
  at?: bigint | undefined
  isPatient: boolean
  batches?: Batches
}

type Open = (chain: string, opening: Opening) => EvmReader

export function openEvm(means: ChainMeans): ChainReading {
  const { chains, listed, stores, settings, clock, timer, log } = means
  const poolOf = createPoolOf(means.pools)
  const open = createOpen(chains, poolOf)
  // Reads of past blocks are background work.
  const openReader = (chain: string, plan?: readonly PlannedCall[], at?: bigint) =>
    open(chain, { plan, at, isPatient: at !== undefined })

  const announceReader = createAnnounceReader(chains, poolOf, open)
  const rows = [...protocolRows, ...settings.protocols].filter((row) => chains.has(row.chain))
  const deployments = rows.map(bindProtocol)
  const tokens = means.tokens<EvmReader>((reader, _, addresses) => readTokenMetadata(reader, addresses.map(evmAddress)))
  const untrustedContracts = createUntrustedContracts({ store: stores.untrustedContracts, tokens, log })
  const protocolContracts = createProtocolContracts({
    ...{ untrustedContracts, deployments, tokens, openReader, clock, log },
    store: stores.protocolContracts,
  })
  const keysToSearch = createKeysToSearch(deployments)
  const { prices, datedPrices } = openPrices(means, deployments, protocolContracts)
  const collect = createCollect({
    ...{ announceReader, openReader, tokens, protocolContracts, prices, clock, log },
    catalog: listed,
    discoveries: stores.discoveries,
    findContracts: createFindContracts(poolOf),
    keysToSearch,
    refusingTokens: createRefusingTokens({ store: stores.refusals, catalog: listed, clock }),
  })
  const recognise = createRecognise({
    ...{ protocolContracts, untrustedContracts, tokens, clock, timer },
    openReader: (chain) => open(chain, { isPatient: true }),
  })
  const origins = createContractOrigins({
    poolOf,
    tokens,
    clock,
    names: rows,
    openReader: (chain) => open(chain, { isPatient: true }),
  })
  const namesPrefixes = (chain: string) => keysToSearch(chain).logs.some(({ walletAs }) => walletAs === 'prefix')
  const discovery = createDiscovery({
    ...{ store: stores.discoveries, pools: means.pools, recognise, keysToSearch, clock },
    moreKeys: createMoreKeys(deployments, (chain) => open(chain, { isPatient: true })),
  })
  return {
    chains,
    tokens,
    collect: (chain, wallet, previous) => collect(chain, evmAddress(wallet), previous),
    search: (chain, wallet, head, asked) => discovery.advanceTo(chain, evmAddress(wallet), head, asked),
    listAhead: createListAhead(openReader, protocolContracts),
    isReplaced: createIsReplaced(poolOf),
    days: {
      kept: true,
      blockAt: async (chain, timestamp) => findBlockAtTime(patientPool(poolOf(chain)), timestamp),
      collectAt: (chain, wallet, block) => collect(chain, evmAddress(wallet), undefined, block),
    },
    history: {
      ...openEvmHistory(means, { openReader, tokens, protocolContracts, recognise, origins, namesPrefixes }),
      pricesAt: createPricesAt({ chains, openReader, tokens, protocolContracts, prices, datedPrices, clock, log }),
    },
    readTokens: createReadTokens({ chains, openReader, tokens, protocolContracts, prices }),
    explainPrice: createExplainPrice({
      ...{ chains, tokens, prices, read: createReadOnce(openReader), receiptsOf: createReceiptsOf(protocolContracts) },
      blockOf: async (reader) => {
        const { number, timestamp } = await reader.header()
        return { number, time: timestamp }
      },
    }),
    rates: openRates(means, open),
    approvals: createApprovalReading({ poolOf, openReader }),
    execution: (chain) => createExecutionReading(poolOf(chain)),
    gauges: [droppedGauge(untrustedContracts)],
  }
}

/** Asks the node first: its failure would be one of every protocol. */
function createListAhead(openReader: (chain: string) => EvmReader, { rowsOf }: Pick<ProtocolContracts, 'rowsOf'>) {
  return async (chain: Chain): Promise<void> => {
    await openReader(chain.key).header()
    await rowsOf(chain, [])
  }
}

function droppedGauge({ dropped }: UntrustedContracts): GaugeSource {
  return {
    name: 'coffer_strangers_dropped',
    help: 'Contracts not named by a protocol row that this process dropped because they refuse reads or are no longer recognised',
    read: dropped,
  }
}

/** Repeats only if the block changed in between. */
function createReadOnce(openReader: (chain: string, plan: readonly PlannedCall[]) => EvmReader) {
  return <T>(chain: string, work: (reader: EvmReader) => Promise<T>): Promise<T> =>
    atOneBlock({ open: (plan) => openReader(chain, plan), plan: [] }, async (reader) => {
      const done = await work(reader)
      await reader.header().catch((error: unknown) => {
        if (error instanceof OtherBlock) throw error
      })
      return done
    })
}

function createPoolOf(pools: ChainMeans['pools']) {
  return (chain: string): RpcPool => ofEnabled(pools, chain)
}

type PoolOf = ReturnType<typeof createPoolOf>

function createKeysToSearch(deployments: readonly ProtocolDeployment[]): (chain: string) => SearchedKeys {
  const byChain = new Map(
    [...Map.groupBy(deployments, ({ chain }) => chain)].map(([key, rows]) => [key, searchedKeys(rows)]),
  )
  return (chain) => byChain.get(chain) ?? searchedKeys([])
}

function createOpen(chains: ReadonlyMap<string, Chain>, poolOf: PoolOf): Open {
  return (key, { plan = [], at, isPatient, batches }) =>
    createEvmReader({
      pool: isPatient ? patientPool(poolOf(key)) : poolOf(key),
      chain: ofEnabled(chains, key),
      plan,
      lenses: [...protocolLenses, poolLens, oracleLens, saleProbe],
      ...(at !== undefined && { at }),
      ...(batches && { batches }),
    })
}

function createAnnounceReader(chains: ReadonlyMap<string, Chain>, poolOf: PoolOf, open: Open) {
  return createSharedReaders({
    openBatches: (key, at) =>
      openBatches({ pool: poolOf(key), chain: ofEnabled(chains, key), ...(at !== undefined && { at }) }),
    openReader: (chain, plan, at, batches) => open(chain, { plan, at, isPatient: at !== undefined, batches }),
  })
}

function openPrices(
  { settings: { prices }, log }: Pick<ChainMeans, 'settings' | 'log'>,
  deployments: readonly ProtocolDeployment[],
  protocolContracts: Pick<ProtocolContracts, 'underlyingsOf'>,
) {
  return createPriceGraphs(evmPriceSources, {
    names: prices.sources,
    context: {
      ...{ setting: prices.setting, overrides: prices.overrides, spell: evmAddress },
      feeds: prices.feeds.map(({ chain, token, aggregator, heartbeatSeconds }) => ({
        ...{ chain, token: evmAddress(token) },
        path: [{ aggregator: evmAddress(aggregator), heartbeatSeconds }],
      })),
      factories: deployments.flatMap(({ chain, poolFactory }) => (poolFactory ? [{ chain, ...poolFactory }] : [])),
      aaveAssets: (chain) => protocolContracts.underlyingsOf(chain, 'aave'),
    },
    log,
  })
}

/** Currencies share one reader per chain. No retries: wallets come first. */
function openRates({ chains, settings: { prices }, clock, log }: ChainMeans, open: Open): ChainRates {
  const openEach = () => {
    const readers = new Map<string, EvmReader>()
    return (chain: string) => {
      if (!chains.has(chain)) return undefined
      const reader = readers.get(chain) ?? open(chain, { isPatient: false })
      readers.set(chain, reader)
      return reader
    }
  }
  const rates = createFxRates({
    openReader: (chain) => (chains.has(chain) ? open(chain, { isPatient: false }) : undefined),
    apis: fxApisOf(evmPriceSources, prices.sources, prices.setting),
    ...{ currencies: prices.currencies, clock, log },
  })
  return {
    usdPerUnit: (currency) => rates.usdPerUnit(currency),
    async usdPerEach(currencies) {
      const readerOf = openEach()
      const found = await Promise.all(currencies.map((currency) => rates.usdPerUnit(currency, readerOf)))
      return found.map((rate) => rate?.usd)
    },
  }
}

/**
 * No endpoint may have the block. A lagging endpoint lacks newer blocks too: unless the chain is local, one must have
 * another block at that number.
 */
function createIsReplaced(poolOf: PoolOf) {
  return async ({ key, isLocal }: Chain, block: SeenBlock): Promise<boolean> => {
    const { there, replaced, unknown } = await askPresence(poolOf(key), block)
    return there === 0 && (replaced > 0 || (isLocal && unknown > 0))
  }
}

function createFindContracts(poolOf: PoolOf) {
  return async (chain: string, among: readonly EvmAddress[], block: bigint): Promise<ReadonlySet<EvmAddress>> =>
    poolOf(chain)
      .session()
      .run((endpoint) => addressesWithCode(endpoint, among, block))
}
