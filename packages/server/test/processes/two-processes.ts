import type { Env } from '../../src/config/env.ts'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { createWalletReadStore } from '../../src/wallets/wallet-read-store.ts'
import { testDatabase } from '../database.ts'
import { keyedAccount } from '../ledger/accounts.ts'
import { startFailingNode } from './failing-node.ts'
import { readyAt, type ServiceProcess, startProcess } from './service-process.ts'

const A_DAY_MS = 86_400_000

type ApiProcess = ServiceProcess & { url: string }
export type TestAccount = { id: string; key: string; keyId: string; credits: number }
export type TwoProcesses = Awaited<ReturnType<typeof startTwoProcesses>>

export const oneChainEnv = (database: { url: string }, node: { url: string }): Env => ({
  DATABASE_URL: database.url,
  COFFER_CHAINS: 'ethereum',
  COFFER_LOCAL_CHAINS: 'ethereum',
  COFFER_RPC_ETHEREUM: node.url,
  COFFER_LOG_LEVEL: 'error',
})

/** One database; the chain's only node always fails. Known wallets are answered, others end in 502. */
export async function startTwoProcesses() {
  const database = await testDatabase('processes')
  const node = await startFailingNode()
  const env = oneChainEnv(database, node)
  const start = async (): Promise<ApiProcess> => {
    const service = startProcess(env)
    return { ...service, ...(await readyAt(service)) }
  }
  const processes = await Promise.all([start(), start()])
  const store = createWalletReadStore(database.db)

  const addAccount = (credits: number, { isLimited = false } = {}): Promise<TestAccount> =>
    keyedAccount(database.db, { credits, plan: 'PRO', isLimited })

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
