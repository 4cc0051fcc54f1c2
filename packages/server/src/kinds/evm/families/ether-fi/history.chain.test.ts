import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { steth: eeth, wsteth: weeth } = addresses.ethereum.lido
const queueAbi = parseAbi([
  'function requestWithdraw(address recipient, uint256 amount) returns (uint256)',
  'function requestWithdrawWrapped(uint256 amount, address recipient) returns (uint256)',
  'function finalizeRequests(uint256 id, bool isLegacy) payable',
  'function claimWithdraw(uint256 id)',
  'function nextRequestId() view returns (uint32)',
])

let bench: HistoryBench
let queue: Address
let nextWallet = 0xee_77_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    queue = await chain.deploy(ownArtifact('WithdrawRequests'), [eeth, weeth])
    const deployment = { eEth: eeth, weEth: weeth, liquidityPool: queue, withdrawRequestNft: queue }
    const row = { family: 'ether_fi', key: 'exits', name: 'Exits', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { ...deployment, withdrawAdapter: queue } }] }
  })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: queue, abi: queueAbi }) as const

async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { lido, erc20 } = bench.chain.actions
  await lido.submit(wallet, parseEther('20'))
  await lido.wrap(wallet, parseEther('5'))
  for (const token of [eeth, weeth]) await erc20.allow(token, wallet, queue)
  return wallet
}

async function finalizeAll(): Promise<bigint> {
  const next = await bench.client.readContract({ address: queue, abi: queueAbi, functionName: 'nextRequestId' })
  const last = BigInt(next) - 1n
  await bench.chain.write({ ...at(newWallet()), functionName: 'finalizeRequests', args: [last, false] })
  await bench.chain.actions.native.give(queue, parseEther('50'))
  return last
}

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const NAMES = () =>
  new Map<string, string>(
    Object.entries({ coin: NATIVE, eeth, weeth, nft: queue }).map(([name, address]) => [evmAddress(address), name]),
  )
const signOf = (amountRaw: bigint) => (amountRaw < 0n ? '-' : '+')
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements.map(
      ({ treatment, amountRaw, token, tokenId }) =>
        `${treatment} ${signOf(amountRaw)}${NAMES().get(token)}${tokenId === null ? '' : ` ${tokenId}`}`,
    ),
  ])

it('a request turns eETH into an NFT, and a claim that any wallet may send the NFT into coin', async () => {
  const wallet = await newOwner()
  let id = 0n
  const found = await played(wallet, async () => {
    await bench.chain.write({ ...at(wallet), functionName: 'requestWithdraw', args: [wallet, parseEther('3')] })
    id = await finalizeAll()
    await bench.chain.write({ ...at(newWallet()), functionName: 'claimWithdraw', args: [id] })
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE exits', 'move -eeth', `move +nft ${id}`],
    ['WITHDRAW exits', `move -nft ${id}`, 'move +coin'],
  ])
  const quotes = {
    eeth: { address: eeth, price: '2000', had: '15', paid: '1800' },
    coin: { address: NATIVE, price: '2000' },
  }
  // 12 * 1,800 and 3 * 1,800.
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { eeth: '12 at 21600', coin: '3 at 5400' }, basis: '27000' },
    ...{ realised: '0', disposals: 0, income: '0', flagged: [] },
  })
})

it('weETH goes in by the adapter, and comes back as coin', async () => {
  const wallet = await newOwner()
  let id = 0n
  const found = await played(wallet, async () => {
    await bench.chain.write({ ...at(wallet), functionName: 'requestWithdrawWrapped', args: [parseEther('2'), wallet] })
    id = await finalizeAll()
    await bench.chain.write({ ...at(wallet), functionName: 'claimWithdraw', args: [id] })
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE exits', 'move -weeth', `move +nft ${id}`],
    ['WITHDRAW exits', `move -nft ${id}`, 'move +coin'],
  ])
})

it('a request in the name of another is sent to it, whose NFT comes from outside', async () => {
  const [payer, owner] = [await newOwner(), newWallet()]
  const before = await bench.client.getBlockNumber()
  await bench.chain.write({ ...at(payer), functionName: 'requestWithdraw', args: [owner, parseEther('3')] })
  const [sent] = await bench.readSince(payer, before)
  expect([sent?.type, sent?.movements.map(({ counterparty }) => counterparty)]).toEqual([
    'TRANSFEROUT',
    [evmAddress(owner)],
  ])
  const [got] = await bench.readSince(owner, before)
  expect(got?.movements.map(({ treatment, amountRaw }) => [treatment, amountRaw])).toEqual([['acquire', 1n]])
})
