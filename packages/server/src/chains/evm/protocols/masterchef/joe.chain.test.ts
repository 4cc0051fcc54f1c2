import { addresses } from '@coffer/devnet'
import { type Address, parseEther, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { legsOf, ownBench } from '../../../../../test/history-bench.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { uni: reward, link: bonus, weth, usdc, dai } = addresses.ethereum.tokens
/** By number: with a bonus token, with a bonus in native coin, without a bonus. */
const POOLS = [usdc, dai, weth] as const
const BONUSES = [bonus, zeroAddress, zeroAddress] as const

const owner = seededRandom('joe owner').address()
const rows: ProtocolRow[] = []
const bench = await ownBench(rows)
const { erc20, native } = bench.chain.actions
const chef = await deployOwn(bench.chain, 'JoeChef', [reward, parseEther('0.02')])
for (const [pid, token] of POOLS.entries()) {
  await chef.write(owner, 'add', 10n, token, BONUSES[pid], weth, pid === 2 ? 0n : parseEther('0.00001'))
}
await erc20.mint(bonus, await rewarderOf(0), parseEther('1000'))
await native.give(await rewarderOf(1), parseEther('1000'))
rows.push({
  ...{ family: 'masterchef', key: 'joe', name: 'Joe', chain: 'ethereum' },
  deployment: { chef: chef.address, reward, pending: 'pendingTokens', layout: 'joe' },
})
await bench.discover()

async function rewarderOf(pid: number): Promise<Address> {
  return (await chef.read<Address[]>('poolInfo', pid))[4] ?? zeroAddress
}

async function deposit(wallet: Address, pid: 0 | 1 | 2, amount: bigint) {
  await bench.give(wallet, POOLS[pid], amount, chef.address)
  await chef.write(wallet, 'deposit', pid, amount)
}

/** Compares pools with the income of leaving them at the block. */
async function check(wallet: Address, stakes: readonly bigint[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  for (const [pid, amount] of stakes.entries()) {
    const found = positions.find(({ tokenId }) => tokenId === BigInt(pid))
    expect(amountsOf(found?.supplied)).toEqual(expectedAmounts([POOLS[pid] ?? usdc, amount]))
    const leave = chef.call('withdraw', pid, amount)
    expect(amountsOf(found?.rewards)).toEqual(await bench.incomeBy(wallet, [leave], [reward, ...BONUSES], block))
  }
  return positions
}

it('plays a stake with its reward and its bonus, and the way back', async () => {
  const wallet = seededRandom('joe history').address()
  await bench.give(wallet, usdc, 10n ** 9n, chef.address)
  const found = await bench.played(wallet, async () => {
    for (const amount of [10n ** 9n, 0n]) {
      await chef.write(wallet, 'deposit', 0, amount)
      await bench.chain.travel(600)
    }
    await chef.write(wallet, 'withdraw', 0, 10n ** 9n)
  })
  expect(legsOf(found, { usdc, reward, bonus, chef: chef.address })).toEqual([
    ['STAKE', 'joe', '0 move -usdc', '0 move chef 0'],
    ['CLAIM', 'joe', '0 income +reward', '1 income +bonus'],
    ['UNSTAKE', 'joe', '0 move +usdc', '0 move chef 0', '1 income +reward', '2 income +bonus'],
  ])
})

it('pays what leaving a pool pays: the reward, and a bonus of a token or of the native coin', async () => {
  const random = seededRandom('joe stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const stakes = POOLS.map(() => random.amount(10n ** 6n, 10n ** 24n))
    for (const pid of [0, 1, 2] as const) await deposit(wallet, pid, stakes[pid] ?? 0n)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const [withToken, withCoin] = await check(wallet, stakes)
    expect(withToken?.rewards.map(({ token }) => token)).toContain(evmAddress(bonus))
    expect(withCoin?.rewards.map(({ token }) => token)).toContain(evmAddress(zeroAddress))
    await deposit(wallet, 1, 5n)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    stakes[1] = (stakes[1] ?? 0n) + 5n
    await check(wallet, stakes)
  }
})

it('shows a bonus as far as its rewarder has it', async () => {
  const wallet = seededRandom('joe unpaid').address()
  for (const pid of [0, 1] as const) await deposit(wallet, pid, 10n ** 25n)
  await bench.chain.travel(DAY_SECONDS)
  await erc20.setBalance(bonus, await rewarderOf(0), 3n)
  await bench.client.setBalance({ address: await rewarderOf(1), value: 4n })
  await bench.client.mine({ blocks: 1 })
  const [first, second] = await check(wallet, [10n ** 25n, 10n ** 25n])
  expect(amountsOf(first?.rewards)[evmAddress(bonus)]).toBe(3n)
  expect(amountsOf(second?.rewards)[evmAddress(zeroAddress)]).toBe(4n)
})
