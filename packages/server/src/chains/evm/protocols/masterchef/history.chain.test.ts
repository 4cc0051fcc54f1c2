import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { tokens, uniswapV2 } = addresses.ethereum
const { uni: reward, link: bonus, usdc, weth } = tokens
const pair = uniswapV2.pairs.usdcWeth
/** SushiSwap's on Ethereum, replaced by the local chefs. */
const CHEF: Address = '0xc2EdaD668740f1aA35E4D8f227fB8E17dcA888Cd'
const CHEF_V2: Address = '0xEF0881eC094552b2e128Cf945EF17a6752B4Ec5d'
const PROTOCOL = 'sushiswap_farms'
const PROTOCOL_V2 = 'sushiswap_farms_v2'
const chefAbi = parseAbi([
  'function add(uint256 allocPoint, address lpToken)',
  'function deposit(uint256 pid, uint256 amount)',
  'function withdraw(uint256 pid, uint256 amount)',
  'function emergencyWithdraw(uint256 pid)',
])
const miniAbi = parseAbi([
  'function add(uint64 allocPoint, address lpToken, address rewarder)',
  'function deposit(uint256 pid, uint256 amount, address to)',
  'function withdraw(uint256 pid, uint256 amount, address to)',
  'function withdrawAndHarvest(uint256 pid, uint256 amount, address to)',
  'function harvest(uint256 pid, address to)',
  'function emergencyWithdraw(uint256 pid, address to)',
])
const routerAbi = parseAbi(['function stake(address chef, address share, uint256 pid, uint256 amount)'])

let bench: HistoryBench
let router: Address
let nextWallet = 0xc4ef_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'))
  const { chain } = bench
  const { erc20 } = chain.actions
  const from = newWallet()
  await chain.deployTo(CHEF, ownArtifact('MasterChef'), [reward, from, parseEther('3')])
  await chain.deployTo(CHEF_V2, ownArtifact('MiniChef'), [reward, parseEther('0.01')])
  const rewarder = await chain.deploy(ownArtifact('ChefRewarder'), [bonus, parseEther('0.25')])
  router = await chain.deploy(ownArtifact('ChefRouter'))
  for (const pool of [pair, reward]) {
    await chain.write({ from, address: CHEF, abi: chefAbi, functionName: 'add', args: [10n, pool] })
    const args = [10n, pool, pool === pair ? rewarder : zeroAddress] as const
    await chain.write({ from, address: CHEF_V2, abi: miniAbi, functionName: 'add', args })
  }
  await erc20.mint(reward, CHEF_V2, parseEther('100000'))
  await erc20.mint(bonus, rewarder, parseEther('100000'))
})
afterAll(() => bench?.stop())

/** A wallet with an approved share of the pair and some of the reward. */
async function newStaker(): Promise<{ wallet: Address; share: bigint }> {
  const wallet = newWallet()
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
  await pool.add(wallet, ...sides)
  await erc20.mint(reward, wallet, parseEther('5'))
  for (const token of [pair, reward]) {
    for (const spender of [CHEF, CHEF_V2, router]) await erc20.allow(token, wallet, spender)
  }
  return { wallet, share: await erc20.balanceOf(pair, wallet) }
}

const NAMES = new Map(
  Object.entries({ pair, reward, bonus, chef: CHEF, chef2: CHEF_V2 }).map(([name, at]) => [`${evmAddress(at)}`, name]),
)

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    type,
    protocol,
    ...movements
      .map(({ token, tokenId, amountRaw, leg, treatment }) => {
        const name = `${NAMES.get(token) ?? token}${tokenId === null ? '' : ` ${tokenId}`}`
        return `${leg} ${treatment} ${signOf(amountRaw)}${name}`
      })
      .toSorted(),
  ])

it('a chef of v1: stakes in two pools, rewards with each step, and an emergency', async () => {
  const { wallet, share } = await newStaker()
  const call = { from: wallet, address: CHEF, abi: chefAbi } as const
  const found = await bench.played(wallet, async () => {
    await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, share / 2n] })
    await bench.chain.write({ ...call, functionName: 'deposit', args: [1n, parseEther('2')] })
    await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, share / 4n] })
    await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, 0n] })
    await bench.chain.write({ ...call, functionName: 'withdraw', args: [1n, parseEther('2')] })
    await bench.chain.write({ ...call, functionName: 'withdraw', args: [0n, share / 3n] })
    await bench.chain.write({ ...call, functionName: 'emergencyWithdraw', args: [0n] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, '0 move -pair', '0 move chef 0'],
    ['STAKE', PROTOCOL, '0 move -reward', '0 move chef 1'],
    ['STAKE', PROTOCOL, '0 move -pair', '0 move chef 0', '1 income +reward'],
    ['CLAIM', PROTOCOL, '0 income +reward'],
    // The stake and its reward are the same token.
    ['UNSTAKE', PROTOCOL, '0 move +reward', '0 move chef 1', '1 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +pair', '0 move chef 0', '1 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +pair', '0 move chef 0'],
  ])
  const moved = found.flatMap(({ movements }) => movements.filter(({ treatment }) => treatment === 'move'))
  for (const token of [pair, reward].map(evmAddress)) {
    const sum = moved.filter((each) => each.token === token).reduce((total, { amountRaw }) => total + amountRaw, 0n)
    expect(sum).toBe(0n)
  }
  const earned = (await bench.chain.actions.erc20.balanceOf(reward, wallet)) - parseEther('5')
  const quotes = {
    pair: { address: pair, price: '4', had: formatEther(share), paid: '3' },
    reward: { address: reward, price: '6', had: '5', paid: '2' },
  }
  // Five rewards cost 2 USD each, the others are income at 6 USD.
  const costs = { pair: 3n * share, reward: parseEther('10') + 6n * earned }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      pair: `${formatEther(share)} at ${formatEther(costs.pair)}`,
      reward: `${formatEther(parseEther('5') + earned)} at ${formatEther(costs.reward)}`,
    },
    ...{ basis: formatEther(costs.pair + costs.reward), income: formatEther(6n * earned) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('a chef of v2: a router pays for the wallet, a rewarder pays in addition, others are paid, and an emergency', async () => {
  const { wallet, share } = await newStaker()
  const other = newWallet()
  const call = { from: wallet, address: CHEF_V2, abi: miniAbi } as const
  const play = async () => {
    const args = [CHEF_V2, pair, 0n, share / 2n] as const
    await bench.chain.write({ from: wallet, address: router, abi: routerAbi, functionName: 'stake', args })
    await bench.chain.travel(86_400)
    await bench.chain.write({ ...call, functionName: 'harvest', args: [0n, wallet] })
    await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, share / 4n, other] })
    await bench.chain.travel(3_600)
    await bench.chain.write({ ...call, functionName: 'withdraw', args: [0n, share / 8n, wallet] })
    await bench.chain.write({ ...call, functionName: 'withdrawAndHarvest', args: [0n, share / 8n, wallet] })
    await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, share / 8n, wallet] })
    await bench.chain.travel(3_600)
    await bench.chain.write({ ...call, functionName: 'emergencyWithdraw', args: [0n, wallet] })
  }
  const found = await bench.played(wallet, play)
  const put = found.find(({ type }) => type === 'STAKE')
  expect(put?.movements.map(({ amountRaw }) => amountRaw).toSorted()).toEqual([-share / 2n, 0n].toSorted())
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL_V2, '0 move -pair', '0 move chef2 0'],
    ['CLAIM', PROTOCOL_V2, '0 income +reward', '1 income +bonus'],
    ['TRANSFEROUT', PROTOCOL_V2, '0 send -pair'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0', '1 income +reward', '2 income +bonus'],
    ['STAKE', PROTOCOL_V2, '0 move -pair', '0 move chef2 0'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0'],
  ])
  const { balanceOf } = bench.chain.actions.erc20
  const left = await balanceOf(pair, wallet)
  expect(left).toBe(share - share / 4n)
  const [earned, ofBonus] = [(await balanceOf(reward, wallet)) - parseEther('5'), await balanceOf(bonus, wallet)]
  const quotes = {
    pair: { address: pair, price: '4', had: formatEther(share), paid: '3' },
    reward: { address: reward, price: '6', had: '5', paid: '2' },
    bonus: { address: bonus, price: '7' },
  }
  // The deposit for the other wallet left at its cost. An emergency withdrawal gives up rewards, but no cost.
  const income = 6n * earned + 7n * ofBonus
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      pair: `${formatEther(left)} at ${formatEther(3n * left)}`,
      reward: `${formatEther(parseEther('5') + earned)} at ${formatEther(parseEther('10') + 6n * earned)}`,
      bonus: `${formatEther(ofBonus)} at ${formatEther(7n * ofBonus)}`,
    },
    ...{ basis: formatEther(3n * left + parseEther('10') + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
  // The other wallet takes out its deposit.
  const back = await bench.played(other, () =>
    bench.chain.write({ ...call, from: other, functionName: 'withdraw', args: [0n, share / 4n, other] }),
  )
  expect(summary(back)).toEqual([['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0']])
})
