import { devnetConfig } from '@coffer/devnet'
import { openParts } from '../src/bin/parts.ts'
import type { HistoryReading } from '../src/chains/chain-reading.ts'
import type { SaveFound } from '../src/chains/histories.ts'
import { readConfig } from '../src/config/config.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import { historyStores, openHistory } from '../src/features/history/module.ts'
import type { testDatabase } from './database.ts'

const CHAIN = 'ethereum'

/** As the service, without its queue, on the local `ethereum`. */
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
  const parts = openParts(config, database.db)
  const stores = historyStores(database.db)
  const store = stores.histories
  const jobs = { send: async () => true, findWithoutJob: async () => [], wake: () => undefined }
  const { syncs } = openHistory({ ...parts, stores, jobs })
  const { histories } = syncs
  const { reconcile } = parts.reading.enabledReading(CHAIN).history as HistoryReading

  /** Also follows balances beyond the newest block. */
  async function follow(wallets: readonly EvmAddress[]): Promise<void> {
    const save: SaveFound = (of, page, searched) => store.save(of, page, searched, async () => undefined)
    await histories.follow(CHAIN, wallets, { save, saveIdle: store.group.saveIdle }, (_, error) => {
      throw error
    })
    await Promise.all(wallets.map((wallet) => reconcile({ chain: CHAIN, wallet })))
  }

  return { syncs, follow, histories, store }
}
