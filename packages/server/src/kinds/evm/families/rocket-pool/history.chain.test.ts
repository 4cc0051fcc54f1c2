import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, encodeFunctionData, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const MONTH_SECONDS = 29 * 86_400
const { uni: rpl } = addresses.ethereum.tokens
const nodeAbi = parseAbi([
  'function registerNode()',
  'function stakeRPL(uint256 amount)',
  'function stakeRPLFor(address node, uint256 amount)',
  'function unstakeRPL(uint256 amount)',
  'function withdrawRPL()',
  'function deposit(uint256 bond) payable',
  'function depositEthFor(address node) payable',
  'function withdrawEth(address node, uint256 amount)',
  'function credit(address node, uint256 amount)',
  'function getMegapoolAddress(address node) view returns (address)',
])

let bench: HistoryBench
let store: Address
let nextWallet = 0x40_c7_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const four = parseEther('4')

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    store = await chain.deploy(ownArtifact('RocketNode'), [rpl, true])
    const deployment = { store, rpl }
    return { rows: [{ family: 'rocket_pool', key: 'nodes', name: 'Nodes', chain: 'ethereum', deployment }] }
  })
})
afterAll(() => bench?.stop())

type Call = Parameters<typeof encodeFunctionData<typeof nodeAbi>>[0]

/** As the wallet itself, with what it costs. */
const call = (wallet: Address, data: Omit<Call, 'abi'>, value = 0n) =>
  bench.send(wallet, store, encodeFunctionData({ abi: nodeAbi, ...data } as Call), value)

async function newNode(): Promise<Address> {
  const node = newWallet()
  await bench.fund(node, parseEther('40'))
  const { erc20 } = bench.chain.actions
  await erc20.mint(rpl, node, parseEther('40'))
  await erc20.allow(rpl, node, store)
  await call(node, { functionName: 'registerNode' })
  return node
}

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

async function summary(node: Address, transactions: readonly WalletTransaction[]) {
  const view = { address: store, abi: nodeAbi, functionName: 'getMegapoolAddress', args: [node] } as const
  const megapool = await bench.client.readContract(view)
  const named = Object.entries({ megapool, coin: NATIVE, rpl, store })
  const names = new Map<string, string>(named.map(([name, address]) => [evmAddress(address), name]))
  return transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements
      .filter(({ treatment }) => treatment !== 'fee')
      .map(({ treatment, amountRaw, token }) => `${treatment} ${amountRaw} ${names.get(token)}`),
  ])
}

it('RPL is staked, asked for, and taken by a call of its own or with the next request', async () => {
  const node = await newNode()
  const found = await played(node, async () => {
    await call(node, { functionName: 'stakeRPL', args: [2n * four] })
    await call(node, { functionName: 'unstakeRPL', args: [four] })
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, { functionName: 'unstakeRPL', args: [four] })
    await bench.chain.travel(MONTH_SECONDS)
    await call(node, { functionName: 'withdrawRPL' })
  })
  const moving = (await summary(node, found)).filter(({ length }) => length > 1)
  expect(moving).toEqual([
    ['STAKE nodes', `move -${2n * four} rpl`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} rpl`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} rpl`, 'move 0 store'],
  ])
})

it('a bond goes into the megapool, as far as the node pays it; a balance goes in and comes back', async () => {
  const node = await newNode()
  await bench.chain.write({
    from: newWallet(),
    address: store,
    abi: nodeAbi,
    functionName: 'credit',
    args: [node, four],
  })
  const found = await played(node, async () => {
    await call(node, { functionName: 'deposit', args: [four] }, four)
    await call(node, { functionName: 'deposit', args: [four] }, 1n)
    await call(node, { functionName: 'depositEthFor', args: [node] }, four)
    await call(node, { functionName: 'withdrawEth', args: [node, four] })
  })
  expect(await summary(node, found)).toEqual([
    ['STAKE nodes', `move -${four} coin`, 'move 0 megapool'],
    ['STAKE nodes', 'move -1 coin', 'move 0 megapool'],
    ['STAKE nodes', `move -${four} coin`, 'move 0 store'],
    ['UNSTAKE nodes', `move ${four} coin`, 'move 0 store'],
  ])
})

it('what is staked or deposited for another node is sent to it', async () => {
  const [node, payer] = [await newNode(), await newNode()]
  const found = await played(payer, async () => {
    await call(payer, { functionName: 'stakeRPLFor', args: [node, four] })
    await call(payer, { functionName: 'depositEthFor', args: [node] }, four)
  })
  expect(await summary(node, found)).toEqual([
    ['TRANSFEROUT nodes', `send -${four} rpl`],
    ['TRANSFEROUT nodes', `send -${four} coin`],
  ])
  for (const { movements } of found) expect(movements[0]?.counterparty).toBe(evmAddress(node))
})
