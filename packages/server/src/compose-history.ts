import { composeHistoryJobs, type HistoryJobs } from './compose-history-jobs.ts'
import type { Reading } from './compose-reading.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { createAccountFigures } from './features/history/account-figures.ts'
import type { AssetFacts } from './features/history/accounting-entries.ts'
import { createAccountingStore } from './features/history/accounting-store.ts'
import { createAccounts } from './features/history/accounts.ts'
import { createCompleteHistory } from './features/history/complete-history.ts'
import { changedSince, lastChanges } from './features/history/history-changes.ts'
import { createPriceMovements } from './features/history/price-movements.ts'
import { createPriceStore } from './features/history/price-store.ts'
import { createScopes } from './features/history/scopes.ts'
import { createFindProgress } from './features/history/sync-progress.ts'
import { createSyncStore } from './features/history/sync-store.ts'
import type { WalletHistory } from './kinds/histories.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import { createTokenIdentity, type IdentityOf } from './knowledge/token-identity.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

type TokenNature = (token: Address) => Omit<AssetFacts, 'identity'>

/** Composes histories of wallets and the accounting of cost and gains. */
export function composeHistory({
  catalog,
  database: { db },
  reading,
  jobs,
  clock,
  logger: log,
}: {
  catalog: TokenCatalog
  database: Pick<Database, 'db'>
  reading: Reading
  jobs: HistoryJobs
  clock: Clock
  logger: Logger
}) {
  const { chainsOf, enabledReading, historyStore: store } = reading
  const histories = historiesOf(reading)
  const decimalsOf = async (key: string, tokens: readonly Address[]) => {
    const chain = reading.enabled.find((each) => each.key === key)
    const known = chain && (await reading.knownTokens(chain))
    await known?.load(tokens)
    return (token: Address) => known?.find(token)?.decimals
  }
  const complete = createCompleteHistory({
    reconcile: async (of) => enabledReading(of.chain).history.reconcile(of),
    priceMovements: createPriceMovements({
      store: createPriceStore(db),
      pricesAt: (chain) => enabledReading(chain).pricesAt(chain),
      decimalsOf,
      log,
    }),
  })
  const syncStore = createSyncStore(db)
  const syncs = composeHistoryJobs({ db, reading, histories, store, syncStore, complete, jobs, clock, log })
  const accounts = composeAccounts({
    ...{ db, chainsOf, natureOf: composeNatures(reading), identityOf: createTokenIdentity(catalog) },
  })
  const figures = createAccountFigures({ accounts, clock, log })
  const findProgress = createFindProgress({ db, chainsOf, clock })
  return { syncs, syncStore, findProgress, histories, store, complete, accounts, figures }
}

/** The history of each chain as its kind keeps it. */
function historiesOf({ enabledReading }: Pick<Reading, 'enabledReading'>): WalletHistory {
  return {
    bringUpToDate: async (of, save) => enabledReading(of.chain).history.bringUpToDate(of, save),
    follow: async (chain, wallets, saves, fail) => enabledReading(chain).history.follow(chain, wallets, saves, fail),
  }
}

/** Reads the facts about tokens of a chain that accounting needs. */
function composeNatures({ enabled, readingOf }: Reading) {
  return async (key: string, tokens: readonly Address[]): Promise<TokenNature> => {
    const chain = enabled.find((each) => each.key === key)
    const reading = readingOf(key)
    if (!chain || !reading) return () => ({ decimals: undefined, rebasing: false, listed: false })
    const known = await reading.tokens.of(chain)
    await known.load(tokens)
    const natureOf = await reading.history.naturesOf(key, tokens)
    return (token) => {
      const found = known.find(token)
      const { rebasing, ofProtocol } = natureOf(token)
      return { decimals: found?.decimals, rebasing, listed: found?.listed === true || ofProtocol }
    }
  }
}

function composeAccounts({
  db,
  chainsOf,
  natureOf,
  identityOf,
}: {
  db: Database['db']
  chainsOf(wallet: Address): readonly string[]
  natureOf(chain: string, tokens: readonly Address[]): Promise<TokenNature>
  identityOf: IdentityOf
}) {
  return createAccounts({
    store: createAccountingStore(db),
    scopeOf: createScopes(db, chainsOf).scopeOf,
    lastChanges: (wallets) => lastChanges(db, wallets),
    changedSince: (wallet, seen) => changedSince(db, wallet, seen),
    async factsOf(tokens) {
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
  })
}
