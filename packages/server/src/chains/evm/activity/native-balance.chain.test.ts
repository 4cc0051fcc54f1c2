import { describe, expect, test } from 'vitest'
import { findActivity } from '../../../../test/find-activity.ts'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import { testAddress } from '../../../../test/test-tokens.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'

/** Has 10,000 coins in the genesis block. */
const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const validator = testAddress(11, 1)
const maker = testAddress(11, 2)
const wallet = testAddress(11, 3)
/** Forwards received coin to the address in its input. Anyone may call it. */
const contract = testAddress(11, 4)
const GWEI = 1_000_000_000n
const TRACERS = ['trace_filter', 'trace_block', 'debug_traceBlockByNumber']

const { node, proxy } = await nodeBehindProxy()
type Sent = { hash: `0x${string}`; block: bigint; feeRaw: bigint }

const quantity = (n: bigint) => `0x${n.toString(16)}`
const find = (of: `0x${string}`, range = { fromBlock: 0n, toBlock: head }) =>
  findActivity({
    pool: createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits: UNHURRIED }),
    wallets: [of],
    range,
  })
const height = async () => BigInt(await node.send<string>('eth_blockNumber'))

/** The node without these methods, and with a beacon chain withdrawal in one of its blocks. */
function serve(missing: readonly string[]): void {
  const refusal = { code: -32601, message: 'the method does not exist' }
  const paid = [{ index: '0x1', validatorIndex: '0x7', address: validator, amount: quantity(32n) }]
  proxy.add({
    fault: {
      answer(envelope, { id, method, params }) {
        if (missing.includes(method)) return { jsonrpc: '2.0', id, error: refusal }
        const isPaying = method === 'eth_getBlockByNumber' && params[0] === quantity(withdrawn)
        return isPaying ? { ...envelope, result: { ...(envelope['result'] as object), withdrawals: paid } } : envelope
      },
    },
  })
}

async function send(from: string, to: string, value: bigint, fields: object = {}): Promise<Sent> {
  const sent = { from, to, value: quantity(value), gas: '0x30d40', gasPrice: '0x0', ...fields }
  type Receipt = { transactionHash: `0x${string}`; blockNumber: string; gasUsed: string; effectiveGasPrice: string }
  const receipt = await node.send<Receipt>('eth_sendTransactionSync', sent)
  const feeRaw = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  return { hash: receipt.transactionHash, block: BigInt(receipt.blockNumber), feeRaw }
}

await node.send('anvil_setCode', contract, '0x600060006000600034600035' + '5af100')
await node.send('anvil_mine', '0x20')
// The node changes the state of its newest block.
const withdrawn = await height()
await node.send('anvil_setBalance', validator, quantity(32n * GWEI))
await node.send('anvil_mine', '0x20')
await node.send('anvil_setCoinbase', maker)
const made = await send(rich, wallet, 10n ** 18n, { gasPrice: quantity(GWEI) })
await node.send('anvil_setCoinbase', NATIVE)
await node.send('anvil_mine', '0x20')
const balance = BigInt(await node.send<string>('eth_getBalance', wallet, 'latest'))
const raised = await height()
await node.send('anvil_setBalance', wallet, quantity(balance + 5n))
await node.send('anvil_mine', '0x10')
/** The contract forwarded what it received: its balance did not change. */
const passed = await send(rich, contract, 3n, { data: `0x${validator.slice(2).padStart(64, '0')}` })
await node.send('anvil_mine', '0x10')
const head = await height()

const ways: [string, string[]][] = [
  ['traces by address', []],
  ['traces of blocks', ['trace_filter']],
  ['states alone', TRACERS],
]

describe.each(ways)('%s: what blocks pay', (_, missing) => {
  const paid = async (to: `0x${string}`, block: bigint, amountRaw: bigint) => {
    type Listed = { hash: `0x${string}`; timestamp: string; transactions: unknown[] }
    const listed = await node.send<Listed>('eth_getBlockByNumber', quantity(block), false)
    const { hash, timestamp, transactions } = listed
    return {
      ...{ hash, block, blockHash: hash, index: transactions.length, time: Number(timestamp), from: NATIVE, to },
      ...{ selector: '0x', calls: [], succeeded: true, feeRaw: 0n, feeInToken: false, logs: [] },
      nativeTransfers: [{ from: NATIVE, to, amountRaw }],
    }
  }

  test('a withdrawal from the beacon chain, in base units', async () => {
    serve(missing)
    const found = await find(validator)
    const [first, ...others] = found.perWallet.get(validator) ?? []
    expect(first).toEqual(await paid(validator, withdrawn, 32n * GWEI))
    expect(others.map(({ hash }) => hash)).toEqual([passed.hash])
    expect(found.native.get(validator)?.state).toBe('complete')
  })

  test('fees to whom the block names', async () => {
    serve(missing)
    const found = await find(maker)
    expect(found.perWallet.get(maker)).toEqual([await paid(maker, made.block, made.feeRaw)])
    expect(found.native.get(maker)?.state).toBe('complete')
  })

  test('the allocation of the genesis block, and everything that was done with it', async () => {
    serve(missing)
    const found = await find(rich)
    const [genesis, ...sent] = found.perWallet.get(rich) ?? []
    expect(genesis).toEqual(await paid(rich, 0n, 10_000n * 10n ** 18n))
    expect(sent.map(({ hash }) => hash)).toEqual([made.hash, passed.hash])
  })

  test('a change without any cause is said, and its block is not covered', async () => {
    serve(missing)
    const found = await find(wallet)
    expect(found.native.get(wallet)).toEqual({
      state: 'partial',
      covered: [
        { fromBlock: 0n, toBlock: raised - 1n },
        { fromBlock: raised + 1n, toBlock: head },
      ],
      unexplained: [{ block: raised, amountRaw: 5n }],
    })
    expect(found.perWallet.get(wallet)?.map(({ hash }) => hash)).toEqual([made.hash])
  })
})

describe('a wallet with code, whose coins others can move', () => {
  const near = () => ({ fromBlock: passed.block - 10n, toBlock: passed.block + 10n })
  const moves = () => [
    { from: rich, to: contract, amountRaw: 3n },
    { from: contract, to: validator, amountRaw: 3n },
  ]

  test.each<[string, string[]]>([
    ['traces by address', []],
    ['traces of blocks', ['trace_filter']],
  ])('is seen whole by %s', async (_, missing) => {
    serve(missing)
    const found = await find(contract, near())
    expect(found.native.get(contract)).toEqual({ state: 'complete', covered: [near()], unexplained: [] })
    expect(found.perWallet.get(contract)?.map(({ hash, nativeTransfers }) => [hash, nativeTransfers])).toEqual([
      [passed.hash, moves()],
    ])
  })

  test('is not taken for seen by states', async () => {
    serve(TRACERS)
    const found = await find(contract, near())
    expect(found.native.get(contract)).toEqual({ state: 'partial', covered: [], unexplained: [] })
  })
})
