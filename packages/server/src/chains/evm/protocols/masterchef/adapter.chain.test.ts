import { addresses } from '@coffer/devnet'
import { type Address, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { type Contract, deployOwn } from '../../../../../test/contract-of.ts'
import { amountsOf, type Call, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { tokens, uniswapV2 } = addresses.ethereum
const { uni: reward, link: bonus } = tokens
/** By number: two pairs, and the reward itself. */
const POOLS = [uniswapV2.pairs.usdcWeth, uniswapV2.pairs.daiWeth, reward] as const
const owner = seededRandom('masterchef owner').address()

const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const { erc20 } = bench.chain.actions
const chef = await openChef('v1')
const rewarder = await deployOwn(bench.chain, 'ChefRewarder', [bonus, parseEther('0.25')])
const mini = await deployOwn(bench.chain, 'MiniChef', [reward, parseEther('0.01')])
for (const [pid, pool] of POOLS.entries()) {
  await mini.write(owner, 'add', BigInt(5 + 3 * pid), pool, pid === 1 ? rewarder.address : zeroAddress)
}
await list('mini', mini, 'v2')

async function list(name: string, at: Contract, layout: 'v1' | 'v2'): Promise<void> {
  rows.push({
    ...{ family: 'masterchef', key: name, name, chain: 'ethereum' },
    deployment: { chef: at.address, reward, pending: 'pendingSushi', layout },
  })
  await bench.discover()
}

async function openChef(name: string): Promise<Contract> {
  const at = await deployOwn(bench.chain, 'MasterChef', [reward, owner, parseEther('3')])
  for (const [pid, pool] of POOLS.entries()) await at.write(owner, 'add', BigInt(10 + 7 * pid), pool)
  await list(name, at, 'v1')
  return at
}

/** Gives the wallet shares of both pairs and some of the reward. Returns its balances of the pool tokens. */
async function giveShares(wallet: Address, random: Random, { address: spender }: Contract): Promise<bigint[]> {
  const dollars = () => random.amount(10n ** 6n, parseUnits('500000', 6))
  for (const [token, amount] of [
    [tokens.usdc, dollars()],
    [tokens.dai, dollars() * 10n ** 12n],
  ] as const) {
    await erc20.mint(token, wallet, amount)
    await erc20.mint(tokens.weth, wallet, parseEther('500'))
    const sides = [
      { token, amount },
      { token: tokens.weth, amount: parseEther('500') },
    ] as const
    await bench.chain.actions.uniswapV2.add(wallet, ...sides)
  }
  await erc20.mint(reward, wallet, random.amount(1n, parseEther('1000')))
  for (const token of POOLS) await erc20.allow(token, wallet, spender)
  return Promise.all(POOLS.map((token) => erc20.balanceOf(token, wallet)))
}

const inPool = (positions: readonly Position[], { address }: Contract, pid: number) =>
  positions.find(({ pool, tokenId }) => pool === address.toLowerCase() && tokenId === BigInt(pid))

/** Compares every pool with the payout of the whole stake at the same block. */
async function check(wallet: Address, at: Contract, staked: readonly bigint[], leave: (pid: number) => Call) {
  const { positions, block } = await bench.read(wallet)
  for (const [pid, amount] of staked.entries()) {
    const { supplied, rewards = [] } = inPool(positions, at, pid) ?? {}
    const paid = await bench.incomeBy(wallet, [leave(pid)], [...POOLS, bonus], block)
    expect(amountsOf([...(supplied ?? []), ...rewards])).toEqual(paid)
    expect(amountsOf(supplied)).toEqual(expectedAmounts([POOLS[pid] ?? zeroAddress, amount]))
  }
  return positions
}

it('a chef of v1 pays what taking out the stake pays, to the unit, in every pool', async () => {
  const random = seededRandom('masterchef v1')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const shares = await giveShares(wallet, random, chef)
    const staked = shares.map((share) => random.amount(share / 4n, share / 2n))
    for (const [pid, amount] of staked.entries()) await chef.write(wallet, 'deposit', pid, amount)
    await bench.client.mine({ blocks: 1 + random.index(50) })
    const leave = (pid: number) => chef.call('withdraw', pid, staked[pid])
    await check(wallet, chef, staked, leave)
    const taken = random.amount(1n, (staked[1] ?? 2n) - 1n)
    await chef.write(wallet, 'withdraw', 1, taken)
    staked[1] = (staked[1] ?? 0n) - taken
    await chef.write(wallet, 'deposit', 0, 0n)
    await bench.client.mine({ blocks: random.index(9) })
    await check(wallet, chef, staked, leave)
    await chef.write(wallet, 'withdraw', 0, staked[0])
    expect(inPool((await bench.read(wallet)).positions, chef, 0)).toBeUndefined()
  }
})

it('a chef of v2 pays rewards and those of its rewarder, also of a stake that was taken out', async () => {
  const random = seededRandom('masterchef v2')
  await erc20.mint(reward, mini.address, parseEther('1000000'))
  await erc20.mint(bonus, rewarder.address, parseEther('1000000'))
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const shares = await giveShares(wallet, random, mini)
    const staked = shares.map((share) => random.amount(share / 4n, share / 2n))
    for (const [pid, amount] of staked.entries()) await mini.write(wallet, 'deposit', pid, amount, wallet)
    await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
    const leave = (pid: number) => mini.call('withdrawAndHarvest', pid, staked[pid], wallet)
    await check(wallet, mini, staked, leave)
    // The reward of the withdrawn stake stays in the chef: the debt is then negative.
    await mini.write(wallet, 'withdraw', 1, staked[1], wallet)
    staked[1] = 0n
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const left = inPool(await check(wallet, mini, staked, leave), mini, 1)
    expect(left?.rewards.map(({ token }) => token)).toEqual([reward.toLowerCase(), bonus.toLowerCase()])
  }
})

it('counts a reward as far as it can be paid, over all pools, and none that no claim pays', async () => {
  const random = seededRandom('masterchef unpaid')
  const wallet = random.address()
  await giveShares(wallet, random, mini)
  for (const pid of [0, 1]) await mini.write(wallet, 'deposit', pid, 10n ** 9n, wallet)
  await bench.chain.travel(DAY_SECONDS)
  await erc20.setBalance(reward, mini.address, 7n)
  await erc20.setBalance(bonus, rewarder.address, 5n)
  const { positions } = await bench.read(wallet)
  expect(amountsOf(positions.flatMap(({ rewards }) => rewards))).toEqual(expectedAmounts([reward, 7n], [bonus, 5n]))

  // A chef that cannot mint reverts with every claim: only `emergencyWithdraw` returns the stake.
  const old = await openChef('old')
  await erc20.allow(POOLS[0], wallet, old.address)
  await old.write(wallet, 'deposit', 0, 10n ** 9n)
  await bench.client.mine({ blocks: 20 })
  await old.write(wallet, 'retire')
  const retired = inPool((await bench.read(wallet)).positions, old, 0)
  expect(retired).toMatchObject({ supplied: [{ amountRaw: 10n ** 9n }], rewards: [] })
  await old.write(wallet, 'emergencyWithdraw', 0)
  expect(inPool((await bench.read(wallet)).positions, old, 0)).toBeUndefined()
})

it('finds a stake that a router put in, and says what a broken rewarder hides', async () => {
  const random = seededRandom('masterchef router')
  const wallet = random.address()
  const router = await deployOwn(bench.chain, 'ChefRouter')
  const shares = await giveShares(wallet, random, router)
  for (const pid of [0, 1]) await router.write(wallet, 'stake', mini.address, POOLS[pid], pid, shares[pid])
  await rewarder.write(owner, 'turn', true)
  const { positions, missing } = await bench.readPartly(wallet)
  for (const pid of [0, 1]) expect(inPool(positions, mini, pid)?.supplied).toMatchObject([{ amountRaw: shares[pid] }])
  expect(missing).toEqual([`Error: the rewarder of pool 1 of chef ${mini.address.toLowerCase()} could not be read`])
  await rewarder.write(owner, 'turn', false)
})

it('costs a wallet that was never there no call', bench.expectNothing)
