import { createDevChain, deployMulticall3, startAnvil } from '@coffer/devnet'
import type { Chain } from '../src/chains/chain.ts'
import { NATIVE } from '../src/domain/evm-address.ts'

type Call = [method: string, ...params: unknown[]]
type Answered<T> = { id: number; result: T; error?: { message: string } }

export type LocalNode = {
  url: string
  /** Includes test methods; throws the node's error. */
  send<T = unknown>(...call: Call): Promise<T>
  /** In few batches, results in order. */
  sendAll<T = unknown>(calls: readonly Call[]): Promise<T[]>
  stop(): Promise<void>
}

const BATCH = 500

export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11'

export const localChain: Chain = {
  key: 'ethereum',
  family: 'evm',
  chainId: '1',
  name: 'Ethereum',
  native: { address: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 },
  wrappedNative: null,
  multicall3: MULTICALL3,
  nativeErc20s: [],
  genesis: null,
  finality: 64,
  blockSeconds: 12,
  isLocal: true,
  blockSource: 'opcode',
  color: '#627eea',
  explorer: { token: '', transaction: '', address: '' },
  altExplorer: null,
  publicRpcUrls: [],
  defillama: null,
  coingecko: null,
}

/** Has only Multicall3. Mines transactions at once, other blocks on `anvil_mine`. */
export async function startLocalNode(...args: string[]): Promise<LocalNode> {
  const anvil = await startAnvil({ chainId: 1, args })
  const chain = createDevChain(anvil)
  await chain.impersonate()
  await deployMulticall3(chain, MULTICALL3)
  return { ...nodeAt(anvil.url), stop: () => anvil.stop() }
}

export function nodeAt(url: string): Omit<LocalNode, 'stop'> {
  async function exchange(body: unknown): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return await response.json()
  }
  const envelope = ([method, ...params]: Call, id: number) => ({ jsonrpc: '2.0', id, method, params })
  return {
    url,
    async send<T>(...call: Call): Promise<T> {
      const { result, error } = (await exchange(envelope(call, 1))) as Answered<T>
      if (error) throw new Error(`${call[0]}: ${error.message}`)
      return result
    },
    async sendAll<T>(calls: readonly Call[]) {
      const results: T[] = []
      for (let i = 0; i < calls.length; i += BATCH) {
        const answers = (await exchange(calls.slice(i, i + BATCH).map(envelope))) as Answered<T>[]
        const failed = answers.find(({ error }) => error)
        if (failed) throw new Error(failed.error?.message)
        results.push(...answers.sort((one, other) => one.id - other.id).map(({ result }) => result))
      }
      return results
    },
  }
}
