import { type Devnet, startDevnet } from '@coffer/devnet'
import { type Hex, parseEther, parseUnits } from 'viem'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { startExplorer } from '../explorer-server.ts'
import { startService, type TestService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'
import { syncTransactions } from '../sync.ts'

const random = seededRandom('native history')
const wallet = random.address()
const other = random.address()

let devnet: Devnet
let open: { stop(): Promise<void> }[]
beforeEach(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  open = [devnet]
})
afterEach(async () => {
  for (const part of open.toReversed()) await part.stop()
})

async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const part = await starting
  open.push(part)
  return part
}

/** A node without traces and without past states: it serves logs, blocks and receipts. */
async function plainNode(): Promise<string> {
  const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
  const traces = ({ method }: RpcCall) => /^(trace|debug|ots|erigon)_/.test(method)
  const past = ({ method, params }: RpcCall) =>
    (method === 'eth_getBalance' || method === 'eth_getTransactionCount') && params[1] !== 'latest'
  proxy.add(
    { when: traces, fault: { error: { code: -32601, message: 'the method does not exist/is not available' } } },
    { when: past, fault: { error: { code: -32000, message: 'missing trie node 1a2b (path )' } } },
  )
  return proxy.url
}

/** Coins come in, some go out; a token comes as well, which logs tell of. */
async function play() {
  const { actions, addresses, send } = devnet.chains.ethereum
  await actions.native.give(other, parseEther('5'))
  const receipts = [
    await send({ from: other, to: wallet, value: parseEther('2') }),
    await send({ from: wallet, to: other, value: parseEther('0.5') }),
  ]
  await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('10', 6))
  return receipts
}

async function told(service: TestService) {
  expect(await syncTransactions(service, wallet)).toBe('done')
  const { transactions, coverage } = await service.client.listTransactions({ query: { addresses: wallet } })
  const [portfolio] = await service.client.getPortfolio({ query: { addresses: wallet, waitForSync: true } })
  return {
    values: transactions.map(({ value }) => value),
    complete: coverage.map(({ complete }) => complete),
    openPnl: portfolio?.openPnl,
    totalCostBasis: portfolio?.totalCostBasis,
  }
}

test('coins that a node cannot tell of are said to be missing, and PnL is unknown', async () => {
  await play()
  const service = await started(startService({ endpoints: { ethereum: [await plainNode()] } }))
  const { complete, ...rest } = await told(service)
  expect(complete).toContain(false)
  expect(rest).toMatchObject({ openPnl: 'N/A', totalCostBasis: 'N/A' })
})

test('an explorer that knows them makes the history whole', async () => {
  const receipts = await play()
  const { client } = devnet.chains.ethereum
  const rows = await Promise.all(receipts.map(({ transactionHash }) => explorerRow(transactionHash)))
  const head = await client.getBlockNumber()
  const explorer = await started(startExplorer({ transactions: rows, internals: [], newest: () => head }))
  const service = await started(
    startService({
      endpoints: { ethereum: [await plainNode()] },
      env: { COFFER_ETHERSCAN_API_KEY: 'key', COFFER_ETHERSCAN_URL: explorer.url },
    }),
  )
  // 2 ETH at 3,000 and 10 USDC came; a quarter of the coins went.
  expect(await told(service)).toEqual({
    values: ['0', '0.5', '2'],
    complete: [true],
    openPnl: '0',
    totalCostBasis: '4510',
  })
  expect(explorer.asked().length).toBeGreaterThan(0)
})

async function explorerRow(hash: Hex) {
  const { client } = devnet.chains.ethereum
  const [tx, receipt] = await Promise.all([client.getTransaction({ hash }), client.getTransactionReceipt({ hash })])
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
  return {
    blockNumber: String(receipt.blockNumber),
    timeStamp: String(timestamp),
    hash,
    nonce: String(tx.nonce),
    blockHash: receipt.blockHash,
    transactionIndex: String(receipt.transactionIndex),
    from: receipt.from,
    to: receipt.to ?? '',
    value: String(tx.value),
    gas: String(tx.gas),
    gasPrice: String(tx.gasPrice ?? 0),
    isError: '0',
    txreceipt_status: '1',
    input: tx.input,
    contractAddress: '',
    cumulativeGasUsed: String(receipt.cumulativeGasUsed),
    gasUsed: String(receipt.gasUsed),
    confirmations: '1',
  }
}
