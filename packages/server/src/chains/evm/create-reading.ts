import { evmAddress } from '../../domain/evm-address.ts'
import { createGate } from '../../lib/concurrency.ts'
import { createPriceGraphs, fxApisOf } from '../../prices/source-module.ts'
import type { Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainMeans, ChainRates, ChainReading, HistoryReading } from '../chain-reading.ts'
import { OtherBlock } from '../rpc/json-rpc.ts'
import { patientPool } from '../rpc/patient-pool.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import type { SeenBlock } from '../seen-block.ts'
import { createExplainPrice } from '../shared/explain-price.ts'
import { addressesWithCode } from './activity/account-states.ts'
import { explorersOf } from './activity/explorer-source.ts'
import {
  askPresence,
  finalBlock,
  findBlockAtTime,
  findLastBlocks,
  findOldestState,
  presentChain,
  readHead,
} from './blocks.ts'
import { findApprovals, readBalances, readBlocks } from './collect/approval-reading.ts'
import { atOneBlock } from './collect/at-one-block.ts'
import { type CollectContext, collect } from './collect/collect.ts'
import { createContractOrigins } from './collect/contract-origins.ts'
import { createDiscovery, type EvmSearchContext } from './collect/discovery.ts'
import type { EvmContext } from './collect/evm-context.ts'
import { createForesight } from './collect/foresight.ts'
import { createPricesAt } from './collect/prices-at.ts'
import { createProtocolContracts, type ProtocolContracts } from './collect/protocol-contracts.ts'
import { createReadHistory } from './collect/read-history.ts'
import { readTokens } from './collect/read-tokens.ts'
import { ownersOf, receiptDirectory } from './collect/receipt-directory.ts'
import { createRecognise } from './collect/recognise.ts'
import { reconcile, tokenNatures } from './collect/reconcile.ts'
import { createRefusingTokens } from './collect/refusing-tokens.ts'
import { ScannedRows } from './collect/scanned-rows.ts'
import { createUntrustedContracts } from './collect/untrusted-contracts.ts'
import { bringUpToDate, createWalletGroup, followWallets } from './collect/wallet-history.ts'
import { createMoreKeys, searchedKeys } from './collect/wallet-keys.ts'
import { createExecutionReading } from './execution-reading.ts'
import { createFxRates } from './prices/fx-rates.ts'
import { oracleLens } from './prices/oracle-lens.bytecode.ts'
import { poolLens } from './prices/pool-lens.bytecode.ts'
import { evmPriceSources } from './prices/sources.ts'
import type { ProtocolDeployment } from './protocols/adapter.ts'
import { bindProtocol, protocolLenses, protocolRows } from './protocols/protocols.ts'
import { type Batches, createBatchQueue } from './reader/batch-queue.ts'
import { createEvmReader } from './reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './reader/evm-reader.ts'
import { saleProbe } from './reader/sale-probe.ts'
import { createSharedReaders } from './reader/shared-readers.ts'
import { readTokenMetadata } from './token-metadata.ts'

export function evmReading(means: ChainMeans): ChainReading {
  const rows = [...protocolRows, ...means.settings.protocols].filter((row) => means.chains.has(row.chain))
  const context = contextOf(means, rows.map(bindProtocol))
  const { chains, tokens, prices, protocolContracts, untrustedContracts, poolOf, openReader } = context
  const collecting = collectContextOf(means, context)
  const search = {
    ...context,
    recognise: createRecognise(context),
    moreKeys: createMoreKeys(context.deployments, context.openPatient),
    origins: createContractOrigins(context),
  }
  const discovery = createDiscovery(search)
  return {
    chains,
    tokens,
    collect: (chain, wallet, previous) => collect(collecting, { chain, wallet: evmAddress(wallet), previous }),
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
      lastBlocks: async (chain, times) => findLastBlocks(poolOf(chain), times),
      async finalBlock(chain) {
        const pool = poolOf(chain)
        return pool.session().run((endpoint) => finalBlock(endpoint, pool.finality))
      },
      newestBlock: async (chain) => readHead(poolOf(chain)),
      oldestState: async (chain, missing) => findOldestState(poolOf(chain), missing),
      collectAt: (chain, wallet, at, plan) => collect(collecting, { chain, wallet: evmAddress(wallet), at, plan }),
    },
    history: historyOf(search),
    readTokens: (chain, amounts, before) => readTokens(context, chain, amounts, before),
    explainPrice: createExplainPrice({
      chains,
      tokens,
      prices,
      read: (chain, work) => readOnce((plan) => openReader(chain, plan), work),
      receiptsOf: async (reader, { chain, token, tokens }) =>
        receiptDirectory({ owners: ownersOf(await protocolContracts.rowsOf(chain, [token])), tokens }, reader),
      blockOf: async (reader) => {
        const { number, timestamp } = await reader.header()
        return { number, time: timestamp }
      },
    }),
    rates: ratesOf(means),
    approvals: {
      head: async (chain) => readHead(poolOf(chain)),
      present: (chain) => presentChain(poolOf(chain)),
      find: async ({ chain, wallet }, range) => findApprovals(poolOf(chain), evmAddress(wallet), range),
      blocks: async (chain, numbers) => readBlocks(poolOf(chain), numbers),
      balances: async ({ chain, wallet }, held) => readBalances(openReader(chain), evmAddress(wallet), held),
    },
    execution: (chain) => createExecutionReading(poolOf(chain)),
    gauges: [
      {
        name: 'coffer_untrusted_contracts_dropped',
        help: 'Contracts not named by a protocol row that this process dropped because they refuse reads or are no longer recognised',
        read: untrustedContracts.dropped,
      },
    ],
  }
}

/** Reads repeated without the other wallets. */
const ALONE_AT_ONCE = 10

/** `isPatient`: waits while an endpoint limits the rate. */
type Opening = { plan?: readonly PlannedCall[] | undefined; at?: bigint | undefined; isPatient: boolean }

function open({ chains, pools }: ChainMeans, key: string, opening: Opening, batches?: Batches): EvmReader {
  const { plan = [], at, isPatient } = opening
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

function contextOf(means: ChainMeans, deployments: readonly ProtocolDeployment[]): EvmContext {
  const { stores, clock, log } = means
  const openReader: EvmContext['openReader'] = (chain, plan, at) =>
    open(means, chain, { plan, at, isPatient: at !== undefined })
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
    openPatient: (chain) => open(means, chain, { isPatient: true }),
    deployments,
    tokens,
    untrustedContracts,
    protocolContracts,
    keysToSearch: (chain) => byChain.get(chain) ?? searchedKeys([]),
    ...openPrices(means, deployments, protocolContracts),
  }
}

function collectContextOf(means: ChainMeans, context: EvmContext): CollectContext {
  const { chains, listed, poolOf } = context
  return {
    ...context,
    announceReader: createSharedReaders({
      createBatchQueue: (key, at) => createBatchQueue({ pool: poolOf(key), chain: ofEnabled(chains, key), at }),
      openReader: (chain, plan, at, batches) => open(means, chain, { plan, at, isPatient: at !== undefined }, batches),
    }),
    findContracts: async (chain, among, block) =>
      poolOf(chain)
        .session()
        .run((endpoint) => addressesWithCode(endpoint, among, block)),
    missingOf: createRefusingTokens(context),
    scannedRows: new ScannedRows(listed),
    foresight: createForesight(),
    alone: createGate(ALONE_AT_ONCE),
  }
}

function historyOf(search: EvmSearchContext): HistoryReading {
  const reading = createReadHistory(search)
  const context = { ...search, reading, explorers: explorersOf(search) }
  return {
    pricesAt: createPricesAt(search),
    bringUpToDate: ({ chain, wallet }, save) => bringUpToDate(context, { chain, wallet: evmAddress(wallet) }, save),
    follow: (chain, wallets, saves, fail) =>
      followWallets(context, createWalletGroup(chain, wallets.map(evmAddress), fail), saves),
    reconcile: ({ chain, wallet }) =>
      reconcile(search, (tokens) => tokenNatures(context, chain, tokens), { chain, wallet: evmAddress(wallet) }),
    async naturesOf(chain, asked) {
      const directory = await reading.directoryOf(chain, asked.map(evmAddress))
      return (token) => ({
        rebasing: directory.isRebasing(evmAddress(token)),
        ofProtocol: directory.protocolContractOf(evmAddress(token)) !== undefined,
      })
    },
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
function ratesOf(means: ChainMeans): ChainRates {
  const { settings, clock, log } = means
  const { prices } = settings
  const openReader = (chain: string) => (means.chains.has(chain) ? open(means, chain, { isPatient: false }) : undefined)
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
