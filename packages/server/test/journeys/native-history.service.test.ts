import { type Devnet, startDevnet } from '@coffer/devnet'
import { type Hex, parseEther, parseUnits } from 'viem'
import { beforeEach, expect, inject, test } from 'vitest'
import { NATIVE } from '../../src/domain/evm-address.ts'
import { startExplorer } from '../explorer-server.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'
import { startedForTest } from '../started.ts'
import { syncTransactions } from '../sync.ts'

/** After this, a sync searches again. */
const NOT_FRESH_MS = 11 * 60_000

const random = seededRandom('native history')
const wallet = random.address()
const other = random.address()

let devnet: Devnet
beforeEach(async () => {
  devnet = await startedForTest(startDevnet({ state: inject('devnetState') }))
})

/** A node without traces and without past states: it serves logs, blocks and receipts. */
async function plainNode() {
  const proxy = await startedForTest(startRpcProxy(devnet.chains.ethereum.url))
  const traces = ({ method }: RpcCall) => /^(trace|debug|ots|erigon)_/.test(method)
  const past = ({ method, params }: RpcCall) =>
    (method === 'eth_getBalance' || method === 'eth_getTransactionCount') && params[1] !== 'latest'
  proxy.add(
    { when: traces, fault: { error: { code: -32601, message: 'the method does not exist/is not available' } } },
    { when: past, fault: { error: { code: -32000, message: 'missing trie node 1a2b (path )' } } },
  )
  return proxy
}

/** Coins come in, some go out. A token also comes, which logs show. */
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

async function reported(service: TestService) {
  expect(await syncTransactions(service, wallet)).toBe('done')
  const { transactions, coverage, syncs } = await service.client.listTransactions({ query: { addresses: wallet } })
  const portfolio = await readPortfolio(service, wallet)
  return {
    values: transactions.map(({ value }) => value),
    complete: coverage.map(({ complete }) => complete),
    openPnl: portfolio?.openPnl,
    closedPnl: portfolio?.closedPnl,
    totalCostBasis: portfolio?.totalCostBasis,
    pnlIncomplete: portfolio?.pnlIncomplete,
    sync: syncs[0],
  }
}

test('coins that a node does not show are named, other figures stay, and a fuller node closes the gap', async () => {
  await play()
  const { url, actions, addresses } = devnet.chains.base
  await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('10', 6))
  const proxy = await plainNode()
  const clock = testClock()
  const service = await startedForTest(startService({ endpoints: { ethereum: [proxy.url], base: [url] }, clock }))
  const { complete, ...rest } = await reported(service)
  expect(complete).toContain(false)
  // 10 USDC came at their price on each chain.
  expect(rest).toMatchObject({ openPnl: '0', totalCostBasis: '20', closedPnl: '0' })
  expect(rest.pnlIncomplete).toEqual([
    {
      ...{ reason: 'native-unexplained', chain: 'ethereum', contract: NATIVE },
      ...{ block: '0', amount: '1.5' },
    },
  ])
  expect(rest.sync).toMatchObject({
    ...{ state: 'done-with-gaps', action: 'add-endpoint', advice: expect.stringContaining('traces or past states') },
    chains: [
      { chain: 'base', state: 'done', reason: null },
      { chain: 'ethereum', state: 'done-with-gaps', reason: expect.stringContaining('its own coin') },
    ],
  })

  proxy.reset()
  clock.advance(NOT_FRESH_MS)
  const whole = await reported(service)
  expect(whole.values.toSorted()).toEqual(['0', '0', '0.5', '2'])
  expect(whole).toMatchObject({
    complete: [true, true],
    openPnl: '0',
    totalCostBasis: '4520',
    pnlIncomplete: [],
    sync: { state: 'done', action: 'none' },
  })
})

test('an explorer that knows them makes the history whole', async () => {
  const receipts = await play()
  const { client } = devnet.chains.ethereum
  const rows = await Promise.all(receipts.map(({ transactionHash }) => explorerRow(transactionHash)))
  const head = await client.getBlockNumber()
  const explorer = await startedForTest(startExplorer({ transactions: rows, internals: [], newest: () => head }))
  const service = await startedForTest(
    startService({
      endpoints: { ethereum: [(await plainNode()).url] },
      env: { COFFER_ETHERSCAN_API_KEY: 'key', COFFER_ETHERSCAN_URL: explorer.url },
    }),
  )
  // 2 ETH at 3,000 and 10 USDC came; a quarter of the coins went.
  expect(await reported(service)).toMatchObject({
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
