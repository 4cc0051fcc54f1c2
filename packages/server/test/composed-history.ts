import { devnetConfig } from '@coffer/devnet'
import { composeHistory } from '../src/compose-history.ts'
import { composeReading } from '../src/compose-reading.ts'
import { readConfig } from '../src/config/config.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { SaveFound } from '../src/kinds/histories.ts'
import { kinds } from '../src/kinds/kinds.ts'
import { createTokenCatalog } from '../src/knowledge/token-catalog.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import type { testDatabase } from './database.ts'

const CHAIN = 'ethereum'

/** What keeps wallets' histories on the local `ethereum`, composed as the service does, without its queue. */
export function composeTestHistory(
  url: string,
  database: Pick<Awaited<ReturnType<typeof testDatabase>>, 'db' | 'url'>,
) {
  const env = {
    DATABASE_URL: database.url,
    COFFER_CHAINS: CHAIN,
    COFFER_LOCAL_CHAINS: CHAIN,
    COFFER_RPC_ETHEREUM: url,
    COFFER_CONFIG: 'coffer.json',
  }
  const config = readConfig(env, () => JSON.stringify(devnetConfig()))
  const logger = createLogger({ level: 'silent' })
  const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
  const clock = systemClock
  const reading = composeReading({ config, database, kinds, catalog, metrics: createMetrics(), clock, logger })
  const jobs = {
    define: () => undefined,
    send: async () => true,
    every: () => undefined,
    findWithoutJob: async () => [],
    wake: () => undefined,
  }
  const { histories, store } = composeHistory({ catalog, database, reading, jobs, clock, logger })
  const { reconcile } = reading.enabledReading(CHAIN).history

  /** What wallets did up to the newest block, and what their balances show beyond it. */
  async function follow(wallets: readonly EvmAddress[]): Promise<void> {
    const save: SaveFound = (of, page, searched) => store.save(of, page, searched, async () => undefined)
    await histories.follow(CHAIN, wallets, { save, saveIdle: store.group.saveIdle }, (_, error) => {
      throw error
    })
    await Promise.all(wallets.map((wallet) => reconcile({ chain: CHAIN, wallet })))
  }

  return { follow, histories, store }
}
