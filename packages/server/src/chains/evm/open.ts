import { evmAddress } from '../../domain/evm-address.ts'
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
import type { EvmContext } from './collect/evm-context.ts'
import { createProtocolContracts, type ProtocolContracts } from './collect/protocol-contracts.ts'
import { readTokens } from './collect/read-tokens.ts'
import { ownersOf, receiptBook } from './collect/receipt-book.ts'
import { createRecognise } from './collect/recognise.ts'
import { createRefusingTokens } from './collect/refusing-tokens.ts'
import { createUntrustedContracts, type UntrustedContracts } from './collect/untrusted-contracts.ts'
import { createMoreKeys, searchedKeys } from './collect/wallet-keys.ts'
import { createExecutionReading } from './execution-reading.ts'
import { openEvmHistory } from './open-history.ts'
import { createFxRates } from './prices/fx-rates.ts'
import { oracleLens } from './prices/oracle-lens.bytecode.ts'
import { poolLens } from './prices/pool-lens.bytecode.ts'
import { evmPriceSources } from './prices/sources.ts'
import type { ProtocolDeployment } from './protocols/adapter.ts'
import { bindProtocol, protocolLenses, protocolRows } from './protocols/protocols.ts'
import { type Batches, openBatches } from './reader/batch-queue.ts'
import { createEvmReader } from './reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './reader/evm-reader.ts'
import { saleProbe } from './reader/sale-probe.ts'
import { createSharedReaders } from './reader/shared-readers.ts'
import { readTokenMetadata } from './token-metadata.ts'

/** `isPatient`: waits while an endpoint limits the rate. */
type Open = (
  chain: string,
  opening: {
    plan?: readonly PlannedCall[] | undefined
    at?: bigint | undefined
    isPatient: boolean
    batches?: Batches
  },
) => EvmReader

export function openEvm(means: ChainMeans): ChainReading {
  const { settings } = means
  const open = createOpen(means)
  const rows = [...protocolRows, ...settings.protocols].filter((row) => means.chains.has(row.chain))
  const deployments = rows.map(bindProtocol)
  const context = contextOf(means, open, deployments)
  const { chains, tokens, prices, protocolContracts, poolOf, openReader } = context
  const collect = createCollect({
    ...context,
    announceReader: createAnnounceReader(context, open),
    findContracts: async (chain, among, block) =>
      poolOf(chain)
        .session()
        .run((endpoint) => addressesWithCode(endpoint, among, block)),
    missingOf: createRefusingTokens(context),
  })
  const search = {
    ...context,
    recognise: createRecognise(context),
    moreKeys: createMoreKeys(deployments, context.openPatient),
    origins: createContractOrigins(context),
  }
  const discovery = createDiscovery(search)
  return {
    chains,
    tokens,
    collect: (chain, wallet, previous) => collect(chain, evmAddress(wallet), previous),
    search: (chain, wallet, head, asked) => discovery.advanceTo(chain, evmAddress(wallet), head, asked),
    async listAhead(chain) {
      // Asks the node first: its failure would be one of every protocol.
      await openReader(chain.key).header()
      await protocolContracts.rowsOf(chain, [])
    },
    isReplaced: async (chain, block) => isReplaced(poolOf(chain.key), chain, block),
    days: {
      kept: true,
      blockAt: async (chain, timestamp) => findBlockAtTime(patientPool(poolOf(chain)), timestamp),
      collectAt: (chain, wallet, block) => collect(chain, evmAddress(wallet), undefined, block),
    },
    history: openEvmHistory(search),
    readTokens: (chain, amounts, before) => readTokens(context, chain, amounts, before),
    explainPrice: createExplainPrice({
      chains,
      tokens,
      prices,
      read: (chain, work) => readOnce((plan) => openReader(chain, plan), work),
      receiptsOf: async (reader, { chain, token, tokens }) =>
        receiptBook({ owners: ownersOf(await protocolContracts.rowsOf(chain, [token])), tokens }, reader),
      blockOf: async (reader) => {
        const { number, timestamp } = await reader.header()
        return { number, time: timestamp }
      },
    }),
    rates: openRates(means, open),
    approvals: createApprovalReading(context),
    execution: (chain) => createExecutionReading(poolOf(chain)),
    gauges: [droppedGauge(context.untrustedContracts)],
  }
}

function createOpen({ chains, pools }: ChainMeans): Open {
  return (key, { plan = [], at, isPatient, batches }) => {
    const pool = ofEnabled(pools, key)
    return createEvmReader({
      pool: isPatient ? patientPool(pool) : pool,
      chain: ofEnabled(chains, key),
      plan,
      lenses: [...protocolLenses, poolLens, oracleLens, saleProbe],
      at,
      batches,
    })
  }
}

function contextOf(means: ChainMeans, open: Open, deployments: readonly ProtocolDeployment[]): EvmContext {
  const { stores, clock, log } = means
  const openReader: EvmContext['openReader'] = (chain, plan, at) =>
    open(chain, { plan, at, isPatient: at !== undefined })
  const tokens = means.tokens<EvmReader>((reader, _, addresses) => readTokenMetadata(reader, addresses.map(evmAddress)))
  const untrustedContracts = createUntrustedContracts(stores.untrustedContracts, tokens, log)
  const protocolContracts = createProtocolContracts({
    deployments,
    store: stores.protocolContracts,
    untrustedContracts,
    tokens,
    openReader,
    clock,
    log,
  })
  const byChain = new Map(
    [...Map.groupBy(deployments, ({ chain }) => chain)].map(([key, rows]) => [
      key,
      searchedKeys(rows.flatMap(({ keyLogs }) => keyLogs)),
    ]),
  )
  return {
    ...means,
    poolOf: (chain: string) => ofEnabled(means.pools, chain),
    openReader,
    openPatient: (chain) => open(chain, { isPatient: true }),
    deployments,
    tokens,
    untrustedContracts,
    protocolContracts,
    keysToSearch: (chain) => byChain.get(chain) ?? searchedKeys([]),
    ...openPrices(means, deployments, protocolContracts),
  }
}

function createAnnounceReader({ chains, poolOf }: EvmContext, open: Open) {
  return createSharedReaders({
    openBatches: (key, at) => openBatches({ pool: poolOf(key), chain: ofEnabled(chains, key), at }),
    openReader: (chain, plan, at, batches) => open(chain, { plan, at, isPatient: at !== undefined, batches }),
  })
}

function droppedGauge({ dropped }: UntrustedContracts): GaugeSource {
  return {
    name: 'coffer_strangers_dropped',
    help: 'Contracts not named by a protocol row that this process dropped because they refuse reads or are no longer recognised',
    read: dropped,
  }
}

/** Repeats only if the block changed in between. */
function readOnce<T>(
  open: (plan: readonly PlannedCall[]) => EvmReader,
  work: (reader: EvmReader) => Promise<T>,
): Promise<T> {
  return atOneBlock({ open, plan: [] }, async (reader) => {
    const done = await work(reader)
    await reader.header().catch((error: unknown) => {
      if (error instanceof OtherBlock) throw error
    })
    return done
  })
}

function openPrices(
  { settings: { prices }, log }: ChainMeans,
  deployments: readonly ProtocolDeployment[],
  protocolContracts: ProtocolContracts,
) {
  return createPriceGraphs(evmPriceSources, {
    names: prices.sources,
    context: {
      setting: prices.setting,
      overrides: prices.overrides,
      spell: evmAddress,
      feeds: prices.feeds.map(({ chain, token, aggregator, heartbeatSeconds }) => ({
        chain,
        token: evmAddress(token),
        path: [{ aggregator: evmAddress(aggregator), heartbeatSeconds }],
      })),
      factories: deployments.flatMap(({ chain, poolFactory }) => (poolFactory ? [{ chain, ...poolFactory }] : [])),
      aaveAssets: (chain) => new Set(protocolContracts.listedOf(chain, 'aave').flatMap((one) => one.underlyings)),
    },
    log,
  })
}

/** No retries: wallets come first. */
function openRates({ chains, settings: { prices }, clock, log }: ChainMeans, open: Open): ChainRates {
  const openReader = (chain: string) => (chains.has(chain) ? open(chain, { isPatient: false }) : undefined)
  const rates = createFxRates({
    openReader,
    apis: fxApisOf(evmPriceSources, prices.sources, prices.setting),
    currencies: prices.currencies,
    clock,
    log,
  })
  return {
    usdPerUnit: (currency) => rates.usdPerUnit(currency),
    async usdPerEach(currencies) {
      const readers = new Map<string, EvmReader | undefined>()
      const readerOf = (chain: string) => {
        const reader = readers.get(chain) ?? openReader(chain)
        readers.set(chain, reader)
        return reader
      }
      const found = await Promise.all(currencies.map((currency) => rates.usdPerUnit(currency, readerOf)))
      return found.map((rate) => rate?.usd)
    },
  }
}

/** No endpoint has the block and, unless the chain is local, one has another: lagging ones lack newer blocks too. */
async function isReplaced(pool: RpcPool, { isLocal }: Chain, block: SeenBlock): Promise<boolean> {
  const { there, replaced, unknown } = await askPresence(pool, block)
  return there === 0 && (replaced > 0 || (isLocal && unknown > 0))
}
