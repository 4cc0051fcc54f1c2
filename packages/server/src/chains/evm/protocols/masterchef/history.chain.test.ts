import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { historyBench, legsOf } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'

const { tokens, uniswapV2 } = addresses.ethereum
const { uni: reward, link: bonus, usdc, weth } = tokens
const pair = uniswapV2.pairs.usdcWeth
/** SushiSwap's on Ethereum, replaced by the local chefs. */
const CHEF: Address = '0xc2EdaD668740f1aA35E4D8f227fB8E17dcA888Cd'
const CHEF_V2: Address = '0xEF0881eC094552b2e128Cf945EF17a6752B4Ec5d'
const PROTOCOL = 'sushiswap_farms'
const PROTOCOL_V2 = 'sushiswap_farms_v2'
const NAMES = { pair, reward, bonus, chef: CHEF, chef2: CHEF_V2 }
const owner = seededRandom('masterchef history owner').address()

const bench = await historyBench(async () => ({}))
const { chain } = bench
const { erc20 } = chain.actions
await chain.deployTo(CHEF, ownArtifact('MasterChef'), [reward, owner, parseEther('3')])
await chain.deployTo(CHEF_V2, ownArtifact('MiniChef'), [reward, parseEther('0.01')])
const [chef, mini] = [contractOf(chain, CHEF, 'MasterChef'), contractOf(chain, CHEF_V2, 'MiniChef')]
const rewarder = await deployOwn(chain, 'ChefRewarder', [bonus, parseEther('0.25')])
const router = await deployOwn(chain, 'ChefRouter')
for (const pool of [pair, reward]) {
  await chef.write(owner, 'add', 10n, pool)
  await mini.write(owner, 'add', 10n, pool, pool === pair ? rewarder.address : zeroAddress)
}
await erc20.mint(reward, CHEF_V2, parseEther('100000'))
await erc20.mint(bonus, rewarder.address, parseEther('100000'))

const { costs } = namedHistory(bench, () => NAMES)

/** A wallet with an approved share of the pair and some of the reward. */
async function newStaker(): Promise<{ wallet: Address; share: bigint }> {
  const wallet = bench.newWallet()
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
  await chain.actions.uniswapV2.add(wallet, ...sides)
  await erc20.mint(reward, wallet, parseEther('5'))
  for (const token of [pair, reward]) {
    for (const spender of [CHEF, CHEF_V2, router.address]) await erc20.allow(token, wallet, spender)
  }
  return { wallet, share: await erc20.balanceOf(pair, wallet) }
}

it('a chef of v1: stakes in two pools, rewards with each step, and an emergency', async () => {
  const { wallet, share } = await newStaker()
  const found = await bench.played(wallet, async () => {
    await chef.write(wallet, 'deposit', 0, share / 2n)
    await chef.write(wallet, 'deposit', 1, parseEther('2'))
    await chef.write(wallet, 'deposit', 0, share / 4n)
    await chef.write(wallet, 'deposit', 0, 0n)
    await chef.write(wallet, 'withdraw', 1, parseEther('2'))
    await chef.write(wallet, 'withdraw', 0, share / 3n)
    await chef.write(wallet, 'emergencyWithdraw', 0)
  })
  expect(legsOf(found, NAMES)).toEqual([
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
  const earned = (await erc20.balanceOf(reward, wallet)) - parseEther('5')
  const quotes = `pair 4 had ${formatEther(share)} at 3, reward 6 had 5 at 2`
  // Five rewards cost 2 USD each, the others are income at 6 USD.
  const basis = parseEther('10') + 6n * earned
  const rewards = `${formatEther(parseEther('5') + earned)} at ${formatEther(basis)}`
  const held = { pair: lot(share, 3n), reward: rewards }
  expect(costs(wallet, quotes, found)).toEqual({ held, ...unsold(3n * share + basis, 6n * earned) })
})

it('a chef of v2: a router pays for the wallet, a rewarder pays in addition, others are paid, and an emergency', async () => {
  const { wallet, share } = await newStaker()
  const other = bench.newWallet()
  const found = await bench.played(wallet, async () => {
    await router.write(wallet, 'stake', CHEF_V2, pair, 0, share / 2n)
    await chain.travel(86_400)
    await mini.write(wallet, 'harvest', 0, wallet)
    await mini.write(wallet, 'deposit', 0, share / 4n, other)
    await chain.travel(3_600)
    await mini.write(wallet, 'withdraw', 0, share / 8n, wallet)
    await mini.write(wallet, 'withdrawAndHarvest', 0, share / 8n, wallet)
    await mini.write(wallet, 'deposit', 0, share / 8n, wallet)
    await chain.travel(3_600)
    await mini.write(wallet, 'emergencyWithdraw', 0, wallet)
  })
  const put = found.find(({ type }) => type === 'STAKE')
  expect(put?.movements.map(({ amountRaw }) => amountRaw).toSorted()).toEqual([-share / 2n, 0n].toSorted())
  expect(legsOf(found, NAMES)).toEqual([
    ['STAKE', PROTOCOL_V2, '0 move -pair', '0 move chef2 0'],
    ['CLAIM', PROTOCOL_V2, '0 income +reward', '1 income +bonus'],
    ['TRANSFEROUT', PROTOCOL_V2, '0 send -pair'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0', '1 income +reward', '2 income +bonus'],
    ['STAKE', PROTOCOL_V2, '0 move -pair', '0 move chef2 0'],
    ['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0'],
  ])
  const left = await erc20.balanceOf(pair, wallet)
  expect(left).toBe(share - share / 4n)
  const earned = (await erc20.balanceOf(reward, wallet)) - parseEther('5')
  const ofBonus = await erc20.balanceOf(bonus, wallet)
  const quotes = `pair 4 had ${formatEther(share)} at 3, reward 6 had 5 at 2, bonus 7`
  // The deposit for the other wallet left at its cost. An emergency withdrawal gives up rewards, but no cost.
  const income = 6n * earned + 7n * ofBonus
  const rewards = `${formatEther(parseEther('5') + earned)} at ${formatEther(parseEther('10') + 6n * earned)}`
  const held = { pair: lot(left, 3n), reward: rewards, bonus: lot(ofBonus, 7n) }
  expect(costs(wallet, quotes, found)).toEqual({ held, ...unsold(3n * left + parseEther('10') + income, income) })
  // The other wallet takes out its deposit.
  const back = await bench.played(other, () => mini.write(other, 'withdraw', 0, share / 4n, other))
  expect(legsOf(back, NAMES)).toEqual([['UNSTAKE', PROTOCOL_V2, '0 move +pair', '0 move chef2 0']])
})
