import { createTokenIdentity, type IdentityOf } from './chains/token-identity.ts'
import type { TokenCatalog } from './chains/tokens.ts'
import { composeEvmHistory } from './compose-evm-history.ts'
import type { Reading } from './compose-reading.ts'
import { composeSolanaHistory } from './compose-solana-history.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { evmAddress } from './domain/evm-address.ts'
import { createAccountFigures } from './features/history/account-figures.ts'
import { createAccountingStore } from './features/history/accounting-store.ts'
import { createAccounts } from './features/history/accounts.ts'
import { createBalanceStore } from './features/history/balance-store.ts'
import { createCompleteHistory } from './features/history/complete-history.ts'
import { createFollowedStore } from './features/history/followed-store.ts'
import { createFollower } from './features/history/follower.ts'
import { chooseHistory } from './features/history/histories.ts'
import { changedSince, lastChanges } from './features/history/history-changes.ts'
import { createHistoryStore } from './features/history/history-store.ts'
import { createPriceMovements } from './features/history/price-movements.ts'
import { createPriceStore } from './features/history/price-store.ts'
import { createScopes } from './features/history/scopes.ts'
import { createSyncStore } from './features/history/sync-store.ts'
import { createSyncs } from './features/history/syncs.ts'
import type { Jobs } from './jobs/queue.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Bridge } from './protocols/history/bridge.ts'

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
  reading,
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
  const { solana, pools, isOfEvm, chainsOf } = reading
  const store = createHistoryStore(db)
  const balances = createBalanceStore(db)
  const evm = composeEvmHistory({ config, reading, bridges, store, balances, clock })
  const histories = chooseHistory(
    { evm: evm.histories, solana: composeSolanaHistory({ solana, db, pools, store, balances }) },
    (chain) => (isOfEvm(chain) ? 'evm' : 'solana'),
  )
  const decimalsOf = async (key: string) => {
    const chain = reading.enabled.find((each) => each.key === key)
    const known = chain && (await reading.knownTokens(chain))
    return (token: Address) => known?.find(token)?.decimals
  }
  const complete = createCompleteHistory({
    // The search itself compares them on Solana.
    reconcile: async ({ chain, wallet }) => {
      if (isOfEvm(chain)) await evm.reconcile({ chain, wallet: evmAddress(wallet) })
    },
    priceMovements: createPriceMovements({
      store: createPriceStore(db),
      pricesAt: (chain) => (isOfEvm(chain) ? reading : solana).pricesAt(chain),
      decimalsOf,
    }),
  })
  const rebasingOf = async (chain: string) => {
    const book = isOfEvm(chain) ? await evm.bookOf(chain) : undefined
    return (token: Address) => book?.isRebasing(token) ?? false
  }
  const syncStore = createSyncStore(db)
  const syncs = createSyncs({
    chainsOf,
    histories,
    store,
    syncs: syncStore,
    complete,
    enqueue: async (trx, wallet) => void (await jobs.send(SYNC_JOB, { wallet }, { singletonKey: wallet, trx })),
    wake: () => jobs.wake(SYNC_JOB),
    clock,
    log,
  })
  jobs.define<{ wallet: Address }>(SYNC_JOB, ({ wallet }, { attempt }) => syncs.run(wallet, attempt > SYNC_RETRIES), {
    concurrency: SYNCS_AT_ONCE,
    retryLimit: SYNC_RETRIES,
    limitSeconds: SYNC_LIMIT_SECONDS,
    oncePerKey: 'until begun',
  })
  jobs.define(
    FOLLOW_JOB,
    createFollower({
      chains: reading.enabled.map(({ key }) => key),
      followed: createFollowedStore(db),
      histories,
      store,
      complete,
      log,
    }),
    { limitSeconds: FOLLOW_LIMIT_SECONDS },
  )
  jobs.every(FOLLOW_JOB, FOLLOW_SECONDS)
  const accounts = composeAccounts({ db, chainsOf, decimalsOf, rebasingOf, identityOf: createTokenIdentity(catalog) })
  const figures = createAccountFigures({ accounts, clock, log })
  return { syncs, syncStore, histories, store, reconcile: evm.reconcile, complete, accounts, figures }
}

function composeAccounts({
  db,
  chainsOf,
  decimalsOf,
  rebasingOf,
  identityOf,
}: {
  db: Database['db']
  chainsOf(wallet: Address): readonly string[]
  decimalsOf(chain: string): Promise<(token: Address) => number | undefined>
  rebasingOf(chain: string): Promise<(token: Address) => boolean>
  identityOf: IdentityOf
}) {
  return createAccounts({
    store: createAccountingStore(db),
    scopeOf: createScopes(db, chainsOf).scopeOf,
    lastChanges: (wallets) => lastChanges(db, wallets),
    changedSince: (wallet, seen) => changedSince(db, wallet, seen),
    async factsOf(of) {
      const known = await Promise.all(
        [...of].map(
          async (chain) => [chain, { decimals: await decimalsOf(chain), rebasing: await rebasingOf(chain) }] as const,
        ),
      )
      const byChain = new Map(known)
      return (chain, token) => ({
        decimals: byChain.get(chain)?.decimals(token) ?? 0,
        identity: identityOf(chain, token),
        rebasing: byChain.get(chain)?.rebasing(token) ?? false,
      })
    },
  })
}
