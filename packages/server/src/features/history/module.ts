import { createIsOneCoin, createTokenIdentity } from '../../catalog/token-identity.ts'
import type { HistoryReading } from '../../chains/chain-reading.ts'
import type { WalletHistory } from '../../chains/histories.ts'
import type { Database } from '../../db/database.ts'
import { sqlGauge } from '../../db/gauges.ts'
import type { Address } from '../../domain/address.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import { createFindTokens, type Reading } from '../../wallets/open-reading.ts'
import type { Module, Ports } from '../module.ts'
import { createAccountFigures } from './cost/account-figures.ts'
import type { AssetFacts, FactsOf } from './cost/accounting-entries.ts'
import { createAccountingStore, type TokenOf } from './cost/accounting-store.ts'
import { createCostAccounts } from './cost/cost-accounts.ts'
import { createScopes } from './cost/scopes.ts'
import { createGainFiles } from './exports/gain-files.ts'
import { createTransactionFiles } from './exports/transaction-files.ts'
import { exportRoutes, historyRoutes, portalPnlRoutes } from './history-routes.ts'
import { createPnl } from './pnl/pnl.ts'
import { createPnlViews } from './pnl/pnl-views.ts'
import { symbolsOf } from './pnl/present-lots.ts'
import { priceMovements } from './pricing/price-movements.ts'
import { createBalanceStore } from './store/balance-store.ts'
import { changedSince, lastChanges } from './store/history-changes.ts'
import { createFindTokenAccounts, createHistoryStore } from './store/history-store.ts'
import { createHistoryJobs, type HistoryJobs } from './sync/sync-jobs.ts'
import { createFindProgress } from './sync/sync-progress.ts'
import { createSyncStore } from './sync/sync-store.ts'
import { createTransactionStore } from './transactions/transaction-store.ts'
import { createTransactionViews } from './transactions/transaction-views.ts'

type TokenNature = (token: Address) => Omit<AssetFacts, 'identity'>

/** Label files have only keys. */
const asNamed = ({ protocol }: { protocol: string }) => ({ key: protocol, name: protocol })

export const historyStores = ({ db }: Pick<Database, 'db'>) => ({
  histories: createHistoryStore(db),
  sums: createBalanceStore(db),
  findTokenAccounts: createFindTokenAccounts(db),
})

export function historyModule({
  config: { chains, bridges, labels },
  chainTypes: { names },
  database: { db, pool },
  reading,
  history: { syncs, findProgress, accounts, books, hasHistory, jobs },
  protocols,
  portfolios,
  change,
  iconUrls,
  clock,
}: Omit<Ports, 'jobs' | 'logger'> & {
  config: { bridges: readonly Pick<NamedProtocol, 'key' | 'name'>[]; labels: readonly { protocol: string }[] }
  database: Pick<Database, 'pool'>
  history: ReturnType<typeof openHistory>
}) {
  const named = [...names.bridges, ...bridges, ...protocols, ...names.labelled(), ...labels.map(asNamed)]
  const tokensOf = createFindTokens(reading)
  const views = createTransactionViews({
    store: createTransactionStore(db),
    chains,
    tokensOf,
    isOneCoin: createIsOneCoin(reading.catalog, chains),
    protocols: firstByKey(named),
    functionName: names.functionName,
    selectorsNamed: names.selectorsNamed,
    findBasis: accounts.findBasis,
    findSyncs: findProgress,
    noteUse: reading.noteUse,
    iconUrls,
  })
  const transactions = createTransactionFiles({ views, versionOf: books.versionOf, clock })
  const gains = createGainFiles({ pnl: createPnl(books), symbolsOf: (lots) => symbolsOf(lots, tokensOf) })
  const { check } = portfolios
  return {
    handlers: {
      ...historyRoutes({ views, syncs, check, hasHistory, change }),
      ...exportRoutes({ transactions, gains, check }),
    },
    portal: portalPnlRoutes({ views: createPnlViews({ ...books, tokensOf, clock }), check }),
    jobs,
    gauges: [
      sqlGauge(pool, {
        name: 'coffer_history_set_aside',
        help: 'Wallets, by chain and step, that the service fails to follow and retries; coffer-admin sync status lists them',
        figure: '(select count(*) from history_set_aside)',
      }),
    ],
  } satisfies Module
}

export function openHistory({
  database: { db },
  reading,
  stores: { histories: store },
  jobs,
  clock,
  logger: log,
}: Pick<Ports, 'database' | 'reading' | 'clock' | 'logger'> & {
  stores: Pick<ReturnType<typeof historyStores>, 'histories'>
  jobs: HistoryJobs
}) {
  const { hasHistory, chainsOf, historyOf } = withHistory(reading)
  const histories: WalletHistory = {
    bringUpToDate: async (of, save) => historyOf(of.chain).bringUpToDate(of, save),
    follow: async (chain, wallets, saves, fail) => historyOf(chain).follow(chain, wallets, saves, fail),
  }
  const findTokens = createFindTokens(reading)
  const decimalsOf = async (chain: string, tokens: readonly Address[]) => {
    const find = await findTokens(chain, tokens)
    return (token: Address) => find(token)?.decimals
  }
  const pricing = { db, pricesAt: (chain: string) => historyOf(chain).pricesAt(chain), decimalsOf, log }
  /** Rejects with `UpstreamError` if the chain cannot be read, and soon after an abort; finished work stays stored. */
  const complete = async (of: WalletOnChain, signal: AbortSignal) => {
    await historyOf(of.chain).reconcile(of)
    signal.throwIfAborted()
    await priceMovements(pricing, of, signal)
  }
  const syncStore = createSyncStore(db)
  const keeping = { db, reading: { ...reading, chainsOf }, histories, store, syncStore, complete, jobs, clock, log }
  const { syncs, definitions } = createHistoryJobs(keeping)
  const books = openBooks({ database: { db }, reading })
  const accounts = createCostAccounts(books)
  const figures = createAccountFigures({ accounts, clock, log })
  const findProgress = createFindProgress({ db, chainsOf, hasHistory, clock })
  return { syncs, syncStore, findProgress, hasHistory, histories, accounts, books, figures, jobs: definitions }
}

function withHistory({ readingOf, chainsOf, byType, familyOf }: Reading) {
  return {
    hasHistory: (wallet: Address): boolean => byType.get(familyOf(wallet) ?? '')?.history !== undefined,
    chainsOf: (wallet: Address) => chainsOf(wallet).filter((chain) => readingOf(chain)?.history),
    historyOf(chain: string): HistoryReading {
      const history = readingOf(chain)?.history
      if (!history) throw new Error(`${chain} has no histories here`)
      return history
    },
  }
}

function createNatures(reading: Reading) {
  const findTokens = createFindTokens(reading)
  return async (key: string, tokens: readonly Address[]): Promise<TokenNature> => {
    const history = reading.readingOf(key)?.history
    if (!history) return () => ({ decimals: undefined, rebasing: false, listed: false })
    const find = await findTokens(key, tokens)
    const natureOf = await history.naturesOf(key, tokens)
    return (token) => {
      const found = find(token)
      const { rebasing, ofProtocol } = natureOf(token)
      return { decimals: found?.decimals, rebasing, listed: found?.listed === true || ofProtocol }
    }
  }
}

function createNativeOf({ enabled }: Pick<Reading, 'enabled'>) {
  return (chain: string): Address => {
    const found = enabled.find(({ key }) => key === chain)
    if (!found) throw new Error(`${chain} is not enabled`)
    return found.native.address
  }
}

export function openBooks({ database: { db }, reading }: Pick<Ports, 'database' | 'reading'>) {
  const [natureOf, identityOf] = [createNatures(reading), createTokenIdentity(reading.catalog)]
  return {
    store: createAccountingStore(db),
    ...createScopes(db, { chainsOf: withHistory(reading).chainsOf, nativeOf: createNativeOf(reading) }),
    lastChanges: (wallets: readonly Address[]) => lastChanges(db, wallets),
    /** Changes with the wallets' histories. */
    versionOf: async (wallets: readonly Address[]) => JSON.stringify([...(await lastChanges(db, wallets))].sort()),
    changedSince: (wallet: Address, seen: string) => changedSince(db, wallet, seen),
    async factsOf(tokens: readonly TokenOf[]): Promise<FactsOf> {
      const byChain = [...Map.groupBy(tokens, ({ chain }) => chain)]
      const natures = byChain.map(async ([chain, ofIt]) => {
        const nature = await natureOf(
          chain,
          ofIt.map(({ token }) => token),
        )
        return [chain, nature] as const
      })
      const known = new Map(await Promise.all(natures))
      return (chain, token) => ({
        ...(known.get(chain)?.(token) ?? { decimals: undefined, rebasing: false, listed: false }),
        identity: identityOf(chain, token),
      })
    },
  }
}
