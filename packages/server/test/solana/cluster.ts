import { startSolanaDevnet } from '@coffer/devnet/solana'
import { afterAll, afterEach } from 'vitest'
import { createRpcPool, type RpcPoolOptions } from '../../src/chains/rpc/rpc-pool.ts'
import { createSolanaReader, SOLANA_RPC } from '../../src/chains/solana/reader/solana-reader.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'

/** A local cluster behind a proxy, for one suite. */
export async function startCluster() {
  const devnet = await startSolanaDevnet()
  const proxy = await startRpcProxy(devnet.url)
  afterEach(() => proxy.reset())
  afterAll(async () => {
    await proxy.stop()
    await devnet.stop()
  })
  const poolOf = (urls: readonly string[] = [proxy.url], options: Partial<RpcPoolOptions> = {}) =>
    createRpcPool({ chain: 'solana', urls, ...SOLANA_RPC, ...options })
  return {
    devnet,
    proxy,
    poolOf,
    /** Through the proxy by default. */
    openReader: (...urls: string[]) => createSolanaReader(poolOf(urls.length > 0 ? urls : undefined)),
    callsOf: (name: string): RpcCall[] => proxy.calls().filter(({ method }) => method === name),
    /** Of SOL. */
    async walletWith(name: string, lamports: bigint) {
      const wallet = await devnet.keypair(name)
      await devnet.actions.sol.give(wallet.address, lamports)
      return wallet
    },
  }
}
