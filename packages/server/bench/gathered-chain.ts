import { setTimeout as wait } from 'node:timers/promises'
import type { DevChain } from '@coffer/devnet'
import { encodeFunctionData, formatTransactionReceipt, type RpcTransactionReceipt, type TransactionReceipt } from 'viem'
import { nodeAt } from '../test/local-node.ts'

type Sent = Parameters<DevChain['send']>[0]
type Waiting = { sent: Sent; resolve(receipt: TransactionReceipt): void; reject(error: unknown): void }

/** Transactions sent within this time (ms) share a block. */
const GATHER_MS = 10
const GAS = '0xf4240'
const ENOUGH_GAS = '0xffffffffffff'

/** Mines all waiting transactions in one block. A revert rejects. */
export async function gathered(chain: DevChain, work: (chain: DevChain) => Promise<void>): Promise<void> {
  const node = nodeAt(chain.url)
  const { gasLimit } = await chain.client.getBlock()
  await node.send('evm_setBlockGasLimit', ENOUGH_GAS)
  await node.send('evm_setAutomine', false)
  await work(gathering(chain, node))
  await node.send('evm_setAutomine', true)
  await node.send('evm_setBlockGasLimit', `0x${gasLimit.toString(16)}`)
}

function gathering(chain: DevChain, node: ReturnType<typeof nodeAt>): DevChain {
  let waiting: Waiting[] = []
  let isMining = false

  async function mineAll(): Promise<void> {
    isMining = true
    while (waiting.length > 0) {
      await wait(GATHER_MS)
      const batch = waiting
      waiting = []
      await mineOnce(node, batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error)
      })
    }
    isMining = false
  }

  const send: DevChain['send'] = (sent) =>
    new Promise((resolve, reject) => {
      waiting.push({ sent, resolve, reject })
      if (!isMining) void mineAll()
    })
  const write = (({ from, address, value, ...call }: Parameters<DevChain['write']>[0]) => {
    const data = encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0])
    return send({ from, to: address, data, ...(value !== undefined && { value }) })
  }) as DevChain['write']
  return { ...chain, send, write }
}

/** The node would give concurrent transactions the same nonce. */
async function mineOnce(node: ReturnType<typeof nodeAt>, batch: readonly Waiting[]): Promise<void> {
  const senders = [...new Set(batch.map(({ sent }) => sent.from))]
  const counts = await node.sendAll<string>(senders.map((from) => ['eth_getTransactionCount', from, 'latest']))
  const next = new Map(senders.map((from, i) => [from, Number(counts[i])]))
  const nonceOf = (from: Sent['from']) => {
    const nonce = next.get(from) ?? 0
    next.set(from, nonce + 1)
    return `0x${nonce.toString(16)}`
  }
  const hashes = await node.sendAll<string>(
    batch.map(({ sent: { value = 0n, ...sent } }) => {
      const nonce = nonceOf(sent.from)
      return ['eth_sendTransaction', { ...sent, value: `0x${value.toString(16)}`, nonce, gas: GAS, gasPrice: '0x0' }]
    }),
  )
  await node.send('evm_mine')
  const mined = await node.send<RpcTransactionReceipt[]>('eth_getBlockReceipts', 'latest')
  const receipts = new Map(mined.map((receipt) => [receipt.transactionHash as string, receipt]))
  for (const [i, { sent, resolve, reject }] of batch.entries()) {
    const receipt = receipts.get(hashes[i] as string)
    if (receipt?.status === '0x1') resolve(formatTransactionReceipt(receipt))
    else reject(new Error(`a transaction of ${sent.from} to ${sent.to} ${receipt ? 'reverted' : 'was not mined'}`))
  }
}
