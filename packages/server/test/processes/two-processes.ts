import type { Env } from '../../src/config/env.ts'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { createKey } from '../../src/features/keys/keys.ts'
import { openPeppers } from '../../src/features/keys/peppers.ts'
import { createWalletReadStore } from '../../src/wallets/wallet-read-store.ts'
import { testDatabase } from '../database.ts'
import { startFailingNode } from './failing-node.ts'
import { readyAt, type ServiceProcess, startProcess } from './service-process.ts'

/** Far above what tests use. */
const NO_RATE_LIMIT = 10_000_000
const A_DAY_MS = 86_400_000

type ApiProcess = ServiceProcess & { url: string }
export type TestAccount = { id: string; key: string; keyId: string; credits: number }
export type TwoProcesses = Awaited<ReturnType<typeof startTwoProcesses>>

/** One database; the chain's only node always fails. Known wallets are answered, others end in 502. */
export async function startTwoProcesses() {
  const database = await testDatabase('processes')
  const node = await startFailingNode()
  const env: Env = {
    DATABASE_URL: database.url,
    COFFER_CHAINS: 'ethereum',
    COFFER_LOCAL_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: node.url,
    COFFER_LOG_LEVEL: 'error',
  }
  const start = async (): Promise<ApiProcess> => {
    const service = startProcess(env)
    return { ...service, ...(await readyAt(service)) }
  }
  const processes = await Promise.all([start(), start()])
  const store = createWalletReadStore(database.db)

  async function addAccount(credits: number, { limited = false } = {}): Promise<TestAccount> {
    const peppers = await openPeppers(database.db, [])
    const { id } = await createAccount(database.db, { name: 'test', plan: 'PRO', entitlements: ['portfolio'], credits })
    if (!limited) {
      const text = 'update account set rate_limit_default = $1, rate_limit_portfolio = $1 where id = $2'
      await database.pool.query(text, [NO_RATE_LIMIT, id])
    }
    const { key, id: keyId } = await createKey(database.db, peppers, { accountId: id, name: 'test' })
    return { id, key, keyId, credits }
  }

  /** Fresh for longer than the test takes. */
  async function addWallet(wallet: EvmAddress): Promise<void> {
    const readAt = Date.now() + A_DAY_MS
    const nothing = { holdings: [], positions: [], tokens: [], prices: [], gaps: [] }
    await store.save({ wallet, chain: 'ethereum', block: 1n, blockTime: 1_700_000_000, readAt, ...nothing }, [])
  }

  return {
    ...database,
    env,
    processes,
    addAccount,
    addWallet,
    async replace(index: 0 | 1): Promise<void> {
      await processes[index].end('SIGKILL')
      processes[index] = await start()
    },
    /** Returns exit codes. */
    async stop(): Promise<(number | null)[]> {
      const codes = await Promise.all(processes.map((service) => service.end('SIGTERM')))
      await node.stop()
      return codes
    },
  }
}
