import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'

const { steth: eeth, wsteth: weeth } = addresses.ethereum.lido
/** The catalog's address of weETH. The test sets its rate. */
const RATED: Address = '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee'
const ratedAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function redeem(uint256 amount)',
  'function set(uint256 figure, bool refuses)',
])
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
    await chain.deployTo(RATED, ownArtifact('RatedToken'), ['weETH', 18, 18, eeth])
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

const { summary } = namedHistory(() => ({ coin: NATIVE, eeth, weeth, nft: queue, rated: RATED }))

it('a request turns eETH into an NFT, and a claim that any wallet may send the NFT into coin', async () => {
  const wallet = await newOwner()
  let id = 0n
  const found = await bench.played(wallet, async () => {
    await bench.chain.write({ ...at(wallet), functionName: 'requestWithdraw', args: [wallet, parseEther('3')] })
    id = await finalizeAll()
    await bench.chain.write({ ...at(newWallet()), functionName: 'claimWithdraw', args: [id] })
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE', 'exits', `move +nft ${id}`, 'move -eeth'],
    ['WITHDRAW', 'exits', 'move +coin', `move -nft ${id}`],
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
  const found = await bench.played(wallet, async () => {
    await bench.chain.write({ ...at(wallet), functionName: 'requestWithdrawWrapped', args: [parseEther('2'), wallet] })
    id = await finalizeAll()
    await bench.chain.write({ ...at(wallet), functionName: 'claimWithdraw', args: [id] })
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE', 'exits', `move +nft ${id}`, 'move -weeth'],
    ['WITHDRAW', 'exits', 'move +coin', `move -nft ${id}`],
  ])
})

it('eETH is wrapped, and comes back with what it has grown by', async () => {
  const [wallet, other] = [await newOwner(), await newOwner()]
  const { erc20 } = bench.chain.actions
  await erc20.allow(eeth, wallet, RATED)
  await erc20.transfer(eeth, other, RATED, parseEther('5'))
  const call = (functionName: 'deposit' | 'redeem', amount: string) =>
    bench.chain.write({ from: wallet, address: RATED, abi: ratedAbi, functionName, args: [parseEther(amount)] })
  const set = (figure: string) => {
    const to = { from: other, address: RATED, abi: ratedAbi, functionName: 'set' } as const
    return bench.chain.write({ ...to, args: [parseEther(figure), false] })
  }
  await set('1.2')
  const wrapped = await bench.played(wallet, () => call('deposit', '6'))
  await set('1.3')
  const unwrapped = await bench.played(wallet, () => call('redeem', '2'))
  const found = [...wrapped, ...unwrapped]
  expect(summary(found)).toEqual([
    ['STAKE', 'etherfi', 'move +rated', 'move -eeth'],
    ['UNSTAKE', 'etherfi', 'move +eeth', 'move -rated'],
  ])
  const quotes = {
    eeth: { address: eeth, price: '2000', had: '15', paid: '1800' },
    rated: { address: RATED, price: '2400' },
  }
  // Two of five stood for 2.4 eETH of 1,800 USD. Of the returned 2.6, 0.2 are income.
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { eeth: '11.6 at 20920', rated: '3 at 6480' }, basis: '27400', income: '400' },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
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
