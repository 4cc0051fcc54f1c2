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
import type { ChainKinds } from './kinds/kind.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'

type Dependencies = {
  config: Config
  database: Pick<Database, 'db'>
  kinds: ChainKinds
  catalog: TokenCatalog
  metrics: Pick<Metrics, 'observeNode' | 'addGauge'>
  clock: Clock
  logger: Logger
}

export type Reading = ReturnType<typeof composeReading>

/** Composes reads of wallets on all enabled chains. */
export function composeReading({
  config,
  database: { db },
  kinds,
  catalog,
  metrics,
  clock,
  logger: log,
}: Dependencies) {
  const enabled = config.chains.filter(({ key }) => config.endpoints.has(key))
  const familyOf = (wallet: Address) => kinds.ofWallet(wallet)?.name
  const ofFamily = (wanted: Chain['family'] | undefined) => byKey(enabled.filter(({ family }) => family === wanted))
  const [chains, solanaChains] = [ofFamily('evm'), ofFamily('solana')]
  const pools = composePools({ config, db, kinds, chains: byKey(enabled), metrics, clock, log })
  const store = createWalletReadStore(db)
  const common = { config, db, pools, catalog, store, tokenStore: createTokenStore(db), clock, log }
  const evm = composeEvm({ ...common, chains })
  metrics.addGauge({
    name: 'coffer_strangers_dropped',
    help: 'Contracts not named by a protocol row that this process dropped because they refuse reads or are no longer recognised',
    read: evm.strangers.dropped,
  })
  const solana = composeSolana({ ...common, chains: solanaChains })
  const noteUse = createNoteUse({ db, clock, log })
  const portfolios = createPortfolios({
    ...{ chains: enabled, familyOf, store, noteUse, clock, log },
    refresh: (chain, wallet, onChange) => (solanaChains.has(chain) ? solana : evm).refresh(chain, wallet, onChange),
  })
  const isOfEvm = (chain: string) => chains.has(chain)
  return {
    /** All enabled chains. */
    enabled,
    familyOf,
    isOfEvm,
    /** Keys of the enabled chains on which an address can exist. */
    chainsOf: (wallet: Address) => [...ofFamily(familyOf(wallet)).keys()],
    /** Tokens of a chain of any kind, from memory. */
    knownTokens: (chain: Chain): Promise<KnownTokens> => (isOfEvm(chain.key) ? evm : solana).tokens.of(chain),
    /** Those of the EVM. */
    chains,
    pools,
    solana,
    portfolios,
    /** Records that a wallet was requested. */
    noteUse,
    ...evm,
  }
}
