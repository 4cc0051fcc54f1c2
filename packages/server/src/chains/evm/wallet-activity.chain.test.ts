import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../test/rpc-proxy.ts'
import { alice, bob, playHistory, type WalletHistory } from '../../../test/wallet-history.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { ChainTransaction } from '../../domain/transaction.ts'
import { createRpcPool } from './rpc-pool.ts'
import { findActivity } from './wallet-activity.ts'

let history: WalletHistory
let proxy: RpcProxy

const limits = { timeoutMs: 2_000, backoffMs: 1, logTimeoutMs: 2_000 }
const pool = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits })
const find = (urls: string[], fromBlock = 0n, toBlock = history.head) =>
  findActivity({ pool: pool(...urls), wallets: [alice, bob], range: { fromBlock, toBlock } })

beforeAll(async () => {
  history = await playHistory()
  proxy = await startRpcProxy(history.node.url)
})
afterAll(async () => {
  await proxy.stop()
  await history.node.stop()
})
beforeEach(() => proxy.reset())

/** As they are known from transactions and receipts alone: without what calls inside them moved. */
const withoutInner = (activity: ReadonlyMap<EvmAddress, readonly ChainTransaction[]>) =>
  new Map(
    [...activity].map(([wallet, list]) => [
      wallet,
      list.map((transaction) => ({
        ...transaction,
        nativeTransfers: transaction.nativeTransfers.filter(({ from }) => from === transaction.from),
      })),
    ]),
  )

test('transactions whose logs name a wallet, whole, and never more than that is claimed', async () => {
  const found = await find([proxy.url])
  expect(found.failure).toBeUndefined()
  expect(found.covered).toEqual([{ fromBlock: 0n, toBlock: history.head }])
  expect(found.missing).toEqual([])
  const expected = await history.expected({ only: ({ logged }) => logged })
  expect(found.perWallet).toEqual(withoutInner(expected))
  expect(found.native.get(alice)).toEqual({ state: 'partial', covered: [], unexplained: [] })
})
