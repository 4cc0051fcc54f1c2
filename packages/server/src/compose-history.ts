import { composeEvmHistory } from './compose-evm-history.ts'
import { composeHistoryJobs, type HistoryJobs } from './compose-history-jobs.ts'
import type { Reading } from './compose-reading.ts'
import { composeSolanaHistory } from './compose-solana-history.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { type EvmAddress, evmAddress } from './domain/evm-address.ts'
import { createAccountFigures } from './features/history/account-figures.ts'
import type { AssetFacts } from './features/history/accounting-entries.ts'
import { createAccountingStore } from './features/history/accounting-store.ts'
import { createAccounts } from './features/history/accounts.ts'
import { createBalanceStore } from './features/history/balance-store.ts'
import { createCompleteHistory } from './features/history/complete-history.ts'
import { chooseHistory } from './features/history/histories.ts'
import { changedSince, lastChanges } from './features/history/history-changes.ts'
import { createHistoryStore } from './features/history/history-store.ts'
import { createPriceMovements } from './features/history/price-movements.ts'
import { createPriceStore } from './features/history/price-store.ts'
import { createScopes } from './features/history/scopes.ts'
import { createFindProgress } from './features/history/sync-progress.ts'
import { createSyncStore } from './features/history/sync-store.ts'
import type { HistoryBook } from './kinds/evm/history/book.ts'
import type { Bridge } from './kinds/evm/history/bridge.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import { createTokenIdentity, type IdentityOf } from './knowledge/token-identity.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

/** All of a token's facts that follow from its chain alone. */
type BookOf = (chain: string, contracts: readonly EvmAddress[]) => Promise<HistoryBook>

type TokenNature = (token: Address) => Omit<AssetFacts, 'identity'>

/** Composes histories of wallets and the accounting of cost and gains. */
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
  jobs: HistoryJobs
  clock: Clock
  logger: Logger
}) {
  const { solana, pools, isOfEvm, chainsOf } = reading
  const store = createHistoryStore(db)
  const balances = createBalanceStore(db)
  const evm = composeEvmHistory({ catalog, config, reading, bridges, store, balances, clock })
  const solanaHistories = composeSolanaHistory({ solana, db, pools, store, balances })
  const histories = chooseHistory((chain) => (isOfEvm(chain) ? evm.histories : solanaHistories))
  const decimalsOf = async (key: string, tokens: readonly Address[]) => {
    const chain = reading.enabled.find((each) => each.key === key)
    const known = chain && (await reading.knownTokens(chain))
    await known?.load(tokens)
    return (token: Address) => known?.find(token)?.decimals
  }
  const complete = createCompleteHistory({
    // On Solana the search itself reconciles balances.
    reconcile: async ({ chain, wallet }) => {
      if (isOfEvm(chain)) await evm.reconcile({ chain, wallet: evmAddress(wallet) })
    },
    priceMovements: createPriceMovements({
      store: createPriceStore(db),
      pricesAt: (chain) => (isOfEvm(chain) ? reading : solana).pricesAt(chain),
      decimalsOf,
      log,
    }),
  })
  const natureOf = composeNatures(reading, evm.bookOf)
  const syncStore = createSyncStore(db)
  const syncs = composeHistoryJobs({ db, reading, histories, store, syncStore, complete, jobs, clock, log })
  const accounts = composeAccounts({ db, chainsOf, natureOf, identityOf: createTokenIdentity(catalog) })
  const figures = createAccountFigures({ accounts, clock, log })
  const findProgress = createFindProgress({ db, chainsOf, clock })
  return { syncs, syncStore, findProgress, histories, store, reconcile: evm.reconcile, complete, accounts, figures }
}

/** Reads the facts about tokens of a chain that accounting needs. */
function composeNatures({ enabled, knownTokens, isOfEvm }: Reading, bookOf: BookOf) {
  return async (key: string, tokens: readonly Address[]): Promise<TokenNature> => {
    const chain = enabled.find((each) => each.key === key)
    const known = chain && (await knownTokens(chain))
    await known?.load(tokens)
    const book = isOfEvm(key) ? await bookOf(key, tokens.map(evmAddress)) : undefined
    return (token) => {
      const found = known?.find(token)
      return {
        decimals: found?.decimals,
        rebasing: book?.isRebasing(token) ?? false,
        listed: found?.listed === true || (book !== undefined && book.instrumentOf(evmAddress(token)) !== undefined),
      }
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
