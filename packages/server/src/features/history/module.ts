import { createIsOneCoin, createTokenIdentity } from '../../catalog/token-identity.ts'
import type { HistoryReading } from '../../chains/chain-reading.ts'
import type { Database } from '../../db/database.ts'
import { sqlGauge } from '../../db/gauges.ts'
import { createStatistics } from '../../db/statistics.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { firstByKey } from '../../domain/named-protocol.ts'
import type { JobDefinition } from '../../jobs/queue.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createFindTokens, type Reading } from '../../wallets/create-reading.ts'
import type { Module, Ports, ReadingPorts } from '../module.ts'
import { type CostContext, type CostsOf, findByChain, type SyncContext } from './context.ts'
import { createAccountFigures } from './cost/account-figures.ts'
import { computeCosts, findBasis, findCosts } from './cost/cost-accounts.ts'
import { createScopes } from './cost/scopes.ts'
import { historyRoutes, portalPnlRoutes } from './history-routes.ts'
import { priceMovements } from './pricing/price-movements.ts'
import { createBalanceStore } from './store/balance-store.ts'
import { createFindTokenAccounts, createHistoryStore, type HistoryStore } from './store/history-store.ts'
import { historyJobs } from './sync/sync-jobs.ts'
import { findProgress } from './sync/sync-progress.ts'

export const historyStores = (db: Db) => ({
  histories: createHistoryStore(db),
  sums: createBalanceStore(db),
  findTokenAccounts: createFindTokenAccounts(db),
})

type OwnPorts = Ports & {
  config: { bridges: readonly { key: string; name: string }[]; labels: readonly { protocol: string }[] }
  database: Database
  history: { syncs: SyncContext; costContext: CostContext }
}

export function historyModule({ config, chainTypes, database, reading, history, protocols, ...ports }: OwnPorts) {
  const { syncs, costContext } = history
  const { names } = chainTypes
  const labels = [...names.labelled(), ...config.labels.map(({ protocol: key }) => ({ key, name: key }))]
  const named = [...names.bridges, ...config.bridges, ...protocols, ...labels]
  const context = {
    ...ports,
    syncs,
    costContext,
    check: ports.portfolios.check,
    db: database.reads,
    chains: config.chains,
    findTokens: costContext.findTokens,
    isOneCoin: createIsOneCoin(reading.catalog, config.chains),
    protocols: firstByKey(named),
    functionName: names.functionName,
    selectorsNamed: names.selectorsNamed,
    findBasis: findBasis.bind(null, costContext),
    findSyncs: findProgress.bind(null, syncs),
    noteUse: reading.noteUse,
  }
  return {
    handlers: historyRoutes(context),
    portal: portalPnlRoutes(context),
    jobs: [...historyJobs(syncs), costsJob(costContext)],
    gauges: [
      sqlGauge(database.pool, {
        name: 'coffer_history_set_aside',
        help: 'Wallets, by chain and step, that the service fails to follow and retries; coffer-admin sync status lists them',
        figure: '(select count(*) from history_set_aside)',
      }),
    ],
  } satisfies Module
}

export function openHistory(ports: ReadingPorts & { stores: { histories: HistoryStore }; jobs: SyncContext['jobs'] }) {
  const { reading, jobs, clock, logger: log } = ports
  const { db } = ports.database
  const { enabled, byType, familyOf } = reading
  const pricing = {
    db,
    log,
    findTokens: createFindTokens(reading),
    pricesAt: (chain: string) => historyOf(reading, chain).pricesAt(chain),
  }
  const syncs: SyncContext = {
    db,
    store: ports.stores.histories,
    histories: {
      bringUpToDate: async (of, save) => historyOf(reading, of.chain).bringUpToDate(of, save),
      follow: async (chain, ...of) => historyOf(reading, chain).follow(chain, ...of),
    },
    enabled,
    hasHistory: (wallet) => byType.get(familyOf(wallet) ?? '')?.history !== undefined,
    chainsOf: (wallet) => historyChainsOf(reading, wallet),
    async complete(of, signal) {
      await historyOf(reading, of.chain).reconcile(of)
      signal.throwIfAborted()
      await priceMovements(pricing, of, signal)
    },
    jobs,
    clock,
    log,
  }
  const costContext = createCostContext(ports, async (scope, of) => {
    await jobs.send(COSTS_JOB, of, { singletonKey: scope })
  })
  const figures = createAccountFigures((account, wallet) => findCosts(costContext, account, wallet), ports)
  return { syncs, costContext, figures, findProgress: findProgress.bind(null, syncs) }
}

const COSTS_JOB = 'compute-costs'

const costsJob = (costContext: CostContext): JobDefinition => ({
  name: COSTS_JOB,
  handler: (signal, of: CostsOf) => computeCosts(costContext, signal, of),
  // A million entries took 16 minutes on two busy cores.
  options: { concurrency: 2, limitSeconds: 4 * 3_600 },
})

const historyChainsOf = ({ chainsOf, readingOf }: Reading, wallet: Address) =>
  chainsOf(wallet).filter((chain) => readingOf(chain)?.history)

function historyOf({ readingOf }: Reading, chain: string): HistoryReading {
  const history = readingOf(chain)?.history
  if (!history) throw new Error(`${chain} has no histories here`)
  return history
}

export function createCostContext(
  { database: { db, reads }, reading, logger: log }: ReadingPorts,
  computeLater: CostContext['computeLater'],
): CostContext {
  const findTokens = createFindTokens(reading)
  const identityOf = createTokenIdentity(reading.catalog)
  async function naturesOf(chain: string, tokens: readonly Address[]) {
    const history = reading.readingOf(chain)?.history
    if (!history) return undefined
    const find = await findTokens(chain, tokens)
    const natureOf = await history.naturesOf(chain, tokens)
    return (token: Address) => {
      const found = find(token)
      const { rebasing, ofProtocol } = natureOf(token)
      return { decimals: found?.decimals, rebasing, listed: found?.listed === true || ofProtocol }
    }
  }
  function nativeOf(chain: string): Address {
    const found = reading.enabled.find(({ key }) => key === chain)
    if (!found) throw new Error(`${chain} is not enabled`)
    return found.native.address
  }
  return {
    db,
    reads,
    ...createScopes(db, { chainsOf: (wallet) => historyChainsOf(reading, wallet), nativeOf }),
    findTokens,
    async factsOf(tokens) {
      const known = await findByChain(tokens, naturesOf)
      return (chain, token) => {
        const nature = known.get(chain)?.(token) ?? { decimals: undefined, rebasing: false, listed: false }
        return { ...nature, identity: identityOf(chain, token) }
      }
    },
    computeLater,
    runs: createSingleFlight(),
    statistics: createStatistics(db, ['accounting_result']),
    log,
  }
}
