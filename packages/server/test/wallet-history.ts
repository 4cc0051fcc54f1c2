import { createPublicClient, type Hex, http, pad, toHex } from 'viem'
import { callsOf } from '../src/chains/evm/activity/inner-calls.ts'
import type { BlockRange } from '../src/domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer } from '../src/domain/transaction.ts'
import { type LocalNode, startLocalNode } from './local-node.ts'
import { testAddress } from './test-tokens.ts'

/** Holds everything at the start. */
const rich: EvmAddress = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const alice = testAddress(7, 1)
export const bob = testAddress(7, 2)
/** Never requested. */
export const outsider = testAddress(7, 3)

/** Forwards its value to the address in its input. */
const forwarder = testAddress(8, 1)
const FORWARD = '6000600060006000346000355af1'
/** Forwards its value, then reverts. */
const taker = testAddress(8, 2)
/** Ignores the failure of `taker`. */
const forgiving = testAddress(8, 3)
const refusing = testAddress(8, 4)
/** Self-destructs to the address in its input. */
const ending = testAddress(8, 5)
/** Logs a transfer from the caller to the address in its input. */
export const token = testAddress(8, 6)
/** Logs as `token` does, and forwards its value. */
const payingToken = testAddress(8, 7)
const logTransfer = `60003533${`7f${TRANSFER}`}60206000a3`

const codes: readonly [EvmAddress, Hex][] = [
  [forwarder, `0x${FORWARD}00`],
  [taker, `0x${FORWARD}5060006000fd`],
  [forgiving, `0x60003560005260006000602060003473${taker.slice(2)}5af100`],
  [refusing, '0x60006000fd'],
  [ending, '0x600035ff'],
  [token, `0x602035600052${logTransfer}00`],
  [payingToken, `0x34600052${logTransfer}${FORWARD}00`],
]

type Sent = {
  from: EvmAddress
  to?: EvmAddress
  value?: bigint
  /** First word of the input. */
  word?: EvmAddress
  data?: Hex
}

/** `transfers`: of native coin. */
type Expected = { hash: Hex; wallets: readonly EvmAddress[]; transfers: readonly NativeTransfer[]; logged: boolean }

export type WalletHistory = {
  node: LocalNode
  head: bigint
  /** By wallet, in order, as viem reads them. */
  expected(options?: {
    range?: BlockRange
    only?: (expected: Expected) => boolean
  }): Promise<Map<EvmAddress, ChainTransaction[]>>
}

export async function playHistory(): Promise<WalletHistory> {
  const node = await startLocalNode()
  const all: Expected[] = []
  for (const [address, code] of codes) await node.send('anvil_setCode', address, code)

  const transactionOf = ({ from, to, value = 0n, word, data }: Sent) => ({
    from,
    ...(to && { to }),
    value: toHex(value),
    data: data ?? (word ? pad(word) : '0x'),
    gas: '0x30d40',
    gasPrice: '0x3b9aca00',
  })
  const pass = (blocks: number) => node.send('anvil_mine', toHex(blocks))
  async function send(sent: Sent, ...expected: Partial<Expected>[]): Promise<void> {
    const hash = await node.send<Hex>('eth_sendTransaction', transactionOf(sent))
    while ((await node.send<object | null>('eth_getTransactionReceipt', hash)) === null) {}
    for (const one of expected) all.push({ hash, wallets: [alice], transfers: [], logged: false, ...one })
  }
  const moved = (from: EvmAddress, to: EvmAddress, amountRaw: bigint): NativeTransfer => ({ from, to, amountRaw })

  await pass(3)
  await send({ from: rich, to: alice, value: 10n ** 18n }, { transfers: [moved(rich, alice, 10n ** 18n)] })
  await send({ from: rich, to: outsider, value: 10n ** 18n })
  await pass(40)
  // Tokens in, out, and in with coins from inside.
  await send({ from: outsider, to: token, word: alice }, { logged: true })
  await send({ from: alice, to: token, word: bob }, { logged: true, wallets: [alice, bob] })
  await send(
    { from: outsider, to: payingToken, word: alice, value: 700n },
    { logged: true, transfers: [moved(payingToken, alice, 700n)] },
  )
  await pass(100)
  // Coins out, to the other wallet and to itself; an own call without a value.
  await send({ from: alice, to: outsider, value: 5n }, { transfers: [moved(alice, outsider, 5n)] })
  await send(
    { from: alice, to: bob, value: 10n ** 17n },
    { wallets: [alice, bob], transfers: [moved(alice, bob, 10n ** 17n)] },
  )
  await send({ from: alice, to: alice, value: 9n }, { transfers: [moved(alice, alice, 9n)] })
  await send({ from: alice, to: outsider, data: '0xa1b2c3d4' }, {})
  await send({ from: outsider, to: alice })
  await pass(60)
  // From inside: once, by self-destruct, and reverted at a depth that the receipt does not show.
  await send({ from: outsider, to: forwarder, word: alice, value: 31n }, { transfers: [moved(forwarder, alice, 31n)] })
  await pass(7)
  await send(
    { from: outsider, to: ending, word: bob, value: 32n },
    { wallets: [bob], transfers: [moved(ending, bob, 32n)] },
  )
  await send({ from: outsider, to: forgiving, word: alice, value: 33n })
  await send(
    { from: alice, to: forwarder, word: bob, value: 34n },
    { wallets: [alice], transfers: [moved(alice, forwarder, 34n)] },
    { wallets: [bob], transfers: [moved(forwarder, bob, 34n)] },
  )
  await send(
    { from: bob, to: forwarder, word: bob, value: 35n },
    { wallets: [bob], transfers: [moved(bob, forwarder, 35n), moved(forwarder, bob, 35n)] },
  )
  await pass(25)
  // Failed, and creations with a value and without.
  await send({ from: alice, to: refusing, value: 77n }, {})
  await send({ from: outsider, to: refusing, word: alice, value: 78n })
  const created = all.length
  await send({ from: alice, value: 55n, data: '0x00' }, {})
  await send({ from: alice, data: '0x00' }, {})
  await pass(30)
  const client = createPublicClient({ transport: http(node.url), cacheTime: 0 })
  const creation = await client.getTransactionReceipt({ hash: all[created]?.hash ?? '0x' })
  const child = evmAddress(creation.contractAddress ?? '')
  all[created] = { ...(all[created] as Expected), transfers: [moved(alice, child, 55n)] }
  await node.send('evm_setAutomine', false)
  const crowd: [Sent, Partial<Expected>?][] = []
  for (let i = 0; i < 12; i += 1) crowd.push([{ from: outsider, to: token, word: alice }, { logged: true }])
  crowd.push([
    { from: bob, to: alice, value: 3n },
    { wallets: [alice, bob], transfers: [moved(bob, alice, 3n)] },
  ])
  crowd.push([
    { from: outsider, to: forwarder, word: bob, value: 4n },
    { wallets: [bob], transfers: [moved(forwarder, bob, 4n)] },
  ])
  crowd.push([{ from: rich, to: outsider, value: 1n }])
  for (const [sent, expected] of crowd) {
    const hash = await node.send<Hex>('eth_sendTransaction', transactionOf(sent))
    if (expected) all.push({ hash, wallets: [alice], transfers: [], logged: false, ...expected })
  }
  await pass(1)
  await node.send('evm_setAutomine', true)
  await pass(20)
  const head = await client.getBlockNumber()

  async function read({ hash, transfers }: Expected): Promise<ChainTransaction> {
    const [transaction, receipt] = await Promise.all([
      client.getTransaction({ hash }),
      client.getTransactionReceipt({ hash }),
    ])
    const block = await client.getBlock({ blockNumber: receipt.blockNumber })
    return {
      hash,
      block: receipt.blockNumber,
      blockHash: receipt.blockHash,
      index: receipt.transactionIndex,
      time: Number(block.timestamp),
      from: evmAddress(transaction.from),
      to: transaction.to && evmAddress(transaction.to),
      selector: transaction.input.length >= 10 ? (transaction.input.slice(0, 10) as Hex) : '0x',
      calls: callsOf(evmAddress(transaction.from), transaction.to && evmAddress(transaction.to), transaction.input),
      succeeded: receipt.status === 'success',
      feeRaw: receipt.gasUsed * receipt.effectiveGasPrice,
      feeInToken: false,
      logs: receipt.logs.map(({ address, topics, data, logIndex }) => ({
        address: evmAddress(address),
        topics,
        data,
        logIndex,
      })),
      nativeTransfers: transfers,
    }
  }

  return {
    node,
    head,
    async expected({ range = { fromBlock: 0n, toBlock: head }, only = () => true } = {}) {
      const found = new Map<EvmAddress, ChainTransaction[]>([
        [alice, []],
        [bob, []],
      ])
      for (const expected of all.filter(only)) {
        const transaction = await read(expected)
        if (transaction.block < range.fromBlock || transaction.block > range.toBlock) continue
        for (const wallet of expected.wallets) found.get(wallet)?.push(transaction)
      }
      for (const list of found.values()) list.sort(byPlace)
      return found
    },
  }
}

const byPlace = (a: ChainTransaction, b: ChainTransaction) =>
  a.block === b.block ? a.index - b.index : Number(a.block - b.block)
