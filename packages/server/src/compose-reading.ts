import { composeEvm } from './compose-evm.ts'
import { composePools } from './compose-pools.ts'
import { composeSolana } from './compose-solana.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { createTokenStore } from './features/portfolio/token-store.ts'
import type { KnownTokens } from './features/portfolio/tokens.ts'
import { createWalletReadStore } from './features/portfolio/wallet-read-store.ts'
import { createNoteUse } from './features/retention/wallet-use.ts'
import type { Chain } from './kinds/chain.ts'
import { byKey } from './kinds/chain-catalog.ts'
import { familyOf } from './kinds/wallet-chains.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'

type Dependencies = {
  config: Config
  database: Pick<Database, 'db'>
  catalog: TokenCatalog
  metrics: Pick<Metrics, 'observeNode' | 'addGauge'>
  clock: Clock
  logger: Logger
}

/** What is known of a chain's tokens, however they are read. */

export type Reading = ReturnType<typeof composeReading>

/** Everything that turns nodes into wallets' holdings. */
export function composeReading({ config, database: { db }, catalog, metrics, clock, logger: log }: Dependencies) {
  const enabled = config.chains.filter(({ key }) => config.endpoints.has(key))
  const ofFamily = (wanted: Chain['family']) => byKey(enabled.filter(({ family }) => family === wanted))
  const [chains, solanaChains] = [ofFamily('evm'), ofFamily('solana')]
  const pools = composePools({ config, db, chains: byKey(enabled), metrics, clock, log })
  const store = createWalletReadStore(db)
  const common = { config, db, pools, catalog, store, tokenStore: createTokenStore(db), clock, log }
  const evm = composeEvm({ ...common, chains })
  metrics.addGauge({
    name: 'coffer_strangers_dropped',
    help: 'Contracts that no row names, dropped by this process because they refuse reads or are no longer recognised',
    read: evm.strangers.dropped,
  })
  const solana = composeSolana({ ...common, chains: solanaChains })
  const noteUse = createNoteUse({ db, clock, log })
  const portfolios = createPortfolios({
    ...{ chains: enabled, store, noteUse, clock, log },
    refresh: (chain, wallet, onChange) => (solanaChains.has(chain) ? solana : evm).refresh(chain, wallet, onChange),
  })
  const isOfEvm = (chain: string) => chains.has(chain)
  return {
    /** All that are read. */
    enabled,
    isOfEvm,
    /** Keys of those that a wallet can be on. */
    chainsOf: (wallet: Address) => [...ofFamily(familyOf(wallet)).keys()],
    /** Tokens of a chain of any kind, from memory. */
    knownTokens: (chain: Chain): Promise<KnownTokens> => (isOfEvm(chain.key) ? evm : solana).tokens.of(chain),
    /** Those of the EVM. */
    chains,
    pools,
    solana,
    portfolios,
    /** Says that a wallet was asked for. */
    noteUse,
    ...evm,
  }
}
