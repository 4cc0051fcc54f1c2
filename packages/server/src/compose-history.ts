import { createExplorerSources } from './chains/evm/activity/explorer-sources.ts'
import { activityPieces } from './chains/evm/wallet-activity.ts'
import { createTokenIdentity, type IdentityOf } from './chains/token-identity.ts'
import type { TokenCatalog } from './chains/tokens.ts'
import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import type { EvmAddress } from './domain/evm-address.ts'
import { createAccountFigures } from './features/history/account-figures.ts'
import { createAccountingStore } from './features/history/accounting-store.ts'
import { createAccounts } from './features/history/accounts.ts'
import { createBalanceStore } from './features/history/balance-store.ts'
import { createCompleteHistory } from './features/history/complete-history.ts'
import { createFollowedStore } from './features/history/followed-store.ts'
import { createFollower } from './features/history/follower.ts'
import { changedSince, lastChanges } from './features/history/history-changes.ts'
import { createHistoryStore } from './features/history/history-store.ts'
import { createPriceMovements } from './features/history/price-movements.ts'
import { createPriceStore } from './features/history/price-store.ts'
import { createReadHistory } from './features/history/read-history.ts'
import { createReconcile } from './features/history/reconcile.ts'
import { createScopes } from './features/history/scopes.ts'
import { createSyncStore } from './features/history/sync-store.ts'
import { createSyncs } from './features/history/syncs.ts'
import { createWalletHistory } from './features/history/wallet-history.ts'
import type { Jobs } from './jobs/queue.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { HistoryBook } from './protocols/history/book.ts'
import type { Bridge } from './protocols/history/bridge.ts'

/** What families call the instruments that are owed. */
const DEBT = 'debt'
const SYNC_JOB = 'sync-wallet'
/** Wallets that one process syncs at a time. */
const SYNCS_AT_ONCE = 4
/** How often a sync that was cut off, or met an error of ours, is run again. */
const SYNC_RETRIES = 5
/** A wallet with a long past on an endpoint of short ranges takes hours. */
const SYNC_LIMIT_SECONDS = 6 * 3600

const FOLLOW_JOB = 'follow-wallets'
/** How often the new blocks are searched. */
const FOLLOW_SECONDS = 60
const FOLLOW_LIMIT_SECONDS = 600

/** Everything that tells what wallets did, and what that cost and gained. */
export function composeHistory({
  config,
  catalog,
  database: { db },
  reading: { chains, pools, openReader, tokens, instruments, recognise, pricesAt },
  bridges,
  jobs,
  clock,
  logger: log,
}: {
  catalog: TokenCatalog
  database: Pick<Database, 'db'>
  config: Pick<Config, 'explorers'>
  reading: Reading
  bridges: readonly Bridge[]
  jobs: Pick<Jobs, 'define' | 'send' | 'every' | 'wake'>
  clock: Clock
  logger: Logger
}) {
  const keys = [...chains.keys()]
  const { prepare, read, bookOf, wholeBookOf } = createReadHistory({ chains, instruments, tokens, recognise, bridges })
  const store = createHistoryStore(db)
  const explorers = createExplorerSources(config.explorers, [...chains.values()], clock)
  const findActivity: typeof activityPieces = (search) => {
    const native = explorers.get(search.pool.chain)
    return activityPieces({ ...search, ...(native && { native }) })
  }
  const histories = createWalletHistory({ pools, store, findActivity, prepare, read })
  const decimalsOf = async (key: string) => {
    const chain = chains.get(key)
    const known = chain && (await tokens.of(chain))
    return (token: Address) => known?.find(token)?.decimals
  }
  const reconcile = createReconcile({
    store: createBalanceStore(db),
    openReader: (chain, at) => openReader(chain, [], at),
    async natureOf(chain) {
      const book = await wholeBookOf(chain)
      return (token) => ({
        rebasing: book.isRebasing(token),
        debt: book.instrumentOf(token)?.instrument.role === DEBT,
      })
    },
  })
  const complete = createCompleteHistory({
    reconcile,
    priceMovements: createPriceMovements({ store: createPriceStore(db), pricesAt, decimalsOf }),
  })
  const syncStore = createSyncStore(db)
  const syncs = createSyncs({
    chains: keys,
    histories,
    store,
    syncs: syncStore,
    complete,
    enqueue: async (trx, wallet) => void (await jobs.send(SYNC_JOB, { wallet }, { singletonKey: wallet, trx })),
    wake: () => jobs.wake(SYNC_JOB),
    clock,
    log,
  })
  jobs.define<{ wallet: EvmAddress }>(
    SYNC_JOB,
    ({ wallet }, { attempt }) => syncs.run(wallet, attempt > SYNC_RETRIES),
    {
      concurrency: SYNCS_AT_ONCE,
      retryLimit: SYNC_RETRIES,
      limitSeconds: SYNC_LIMIT_SECONDS,
      oncePerKey: 'until begun',
    },
  )
  jobs.define(
    FOLLOW_JOB,
    createFollower({ chains: keys, followed: createFollowedStore(db), histories, store, complete, log }),
    { limitSeconds: FOLLOW_LIMIT_SECONDS },
  )
  jobs.every(FOLLOW_JOB, FOLLOW_SECONDS)
  const accounts = composeAccounts({ db, keys, decimalsOf, bookOf, identityOf: createTokenIdentity(catalog) })
  const figures = createAccountFigures({ accounts, clock, log })
  return { syncs, syncStore, histories, store, reconcile, complete, accounts, figures }
}

function composeAccounts({
  db,
  keys,
  decimalsOf,
  bookOf,
  identityOf,
}: {
  db: Database['db']
  keys: readonly string[]
  decimalsOf(chain: string): Promise<(token: Address) => number | undefined>
  bookOf(chain: string): Promise<HistoryBook>
  identityOf: IdentityOf
}) {
  return createAccounts({
    store: createAccountingStore(db),
    scopeOf: createScopes(db, keys).scopeOf,
    lastChanges: (wallets) => lastChanges(db, wallets),
    changedSince: (wallet, seen) => changedSince(db, wallet, seen),
    async factsOf(of) {
      const known = await Promise.all(
        [...of].map(
          async (chain) => [chain, { decimals: await decimalsOf(chain), book: await bookOf(chain) }] as const,
        ),
      )
      const byChain = new Map(known)
      return (chain, token) => ({
        decimals: byChain.get(chain)?.decimals(token) ?? 0,
        identity: identityOf(chain, token),
        rebasing: byChain.get(chain)?.book.isRebasing(token) ?? false,
      })
    },
  })
}
