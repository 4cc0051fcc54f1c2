import { addresses } from '@coffer/devnet'
import { type Address, parseEther, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { type Contract, deployOwn } from '../../../../../test/contract-of.ts'
import { type HistoryBench, historyBench, legsOf } from '../../../../../test/history-bench.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { uni: reward, link: bonus, weth, usdc, dai } = addresses.ethereum.tokens
/** By number: with a bonus token, with a bonus in native coin, without a bonus. */
const POOLS = [usdc, dai, weth] as const
const BONUSES = [bonus, zeroAddress, zeroAddress] as const

type Chain = HistoryBench['chain']
const owner = seededRandom('joe owner').address()
const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const chef = await openChef(bench.chain)
rows.push(rowOf(chef))
await bench.discover()

async function openChef(chain: Chain): Promise<Contract> {
  const at = await deployOwn(chain, 'JoeChef', [reward, parseEther('0.02')])
  for (const [pid, token] of POOLS.entries()) {
    await at.write(owner, 'add', 10n, token, BONUSES[pid], weth, pid === 2 ? 0n : parseEther('0.00001'))
  }
  await chain.actions.erc20.mint(bonus, await rewarderOf(at, 0), parseEther('1000'))
  await chain.actions.native.give(await rewarderOf(at, 1), parseEther('1000'))
  return at
}

async function rewarderOf(at: Contract, pid: number): Promise<Address> {
  return (await at.read<Address[]>('poolInfo', pid))[4] ?? zeroAddress
}

function rowOf({ address }: Contract): ProtocolRow {
  return {
    ...{ family: 'masterchef', key: 'joe', name: 'Joe', chain: 'ethereum' },
    deployment: { chef: address, reward, pending: 'pendingTokens', layout: 'joe' },
  }
}

async function deposit({ actions: { erc20 } }: Chain, at: Contract, wallet: Address, pid: 0 | 1 | 2, amount: bigint) {
  await erc20.mint(POOLS[pid], wallet, amount)
  await erc20.allow(POOLS[pid], wallet, at.address)
  await at.write(wallet, 'deposit', pid, amount)
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

it('pays what leaving a pool pays: the reward, and a bonus of a token or of the native coin', async () => {
  const random = seededRandom('joe stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const stakes = POOLS.map(() => random.amount(10n ** 6n, 10n ** 24n))
    for (const pid of [0, 1, 2] as const) await deposit(bench.chain, chef, wallet, pid, stakes[pid] ?? 0n)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const [withToken, withCoin] = await check(wallet, stakes)
    expect(withToken?.rewards.map(({ token }) => token)).toContain(evmAddress(bonus))
    expect(withCoin?.rewards.map(({ token }) => token)).toContain(evmAddress(zeroAddress))
    await deposit(bench.chain, chef, wallet, 1, 5n)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    stakes[1] = (stakes[1] ?? 0n) + 5n
    await check(wallet, stakes)
  }
})

it('shows a bonus as far as its rewarder has it', async () => {
  const wallet = seededRandom('joe unpaid').address()
  for (const pid of [0, 1] as const) await deposit(bench.chain, chef, wallet, pid, 10n ** 25n)
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.actions.erc20.setBalance(bonus, await rewarderOf(chef, 0), 3n)
  await bench.client.setBalance({ address: await rewarderOf(chef, 1), value: 4n })
  await bench.client.mine({ blocks: 1 })
  const [first, second] = await check(wallet, [10n ** 25n, 10n ** 25n])
  expect(amountsOf(first?.rewards)[evmAddress(bonus)]).toBe(3n)
  expect(amountsOf(second?.rewards)[evmAddress(zeroAddress)]).toBe(4n)
})

const history = await historyBench(async (chain) => {
  const at = await openChef(chain)
  return { at, rows: [rowOf(at)] }
})

it('plays a stake with its reward and its bonus, and the way back', async () => {
  const wallet = seededRandom('joe history').address()
  const { at } = history.made
  await history.chain.actions.erc20.mint(usdc, wallet, 10n ** 9n)
  await history.chain.actions.erc20.allow(usdc, wallet, at.address)
  const found = await history.played(wallet, async () => {
    for (const amount of [10n ** 9n, 0n]) {
      await at.write(wallet, 'deposit', 0, amount)
      await history.chain.travel(600)
    }
    await at.write(wallet, 'withdraw', 0, 10n ** 9n)
  })
  expect(legsOf(found, { usdc, reward, bonus, chef: at.address })).toEqual([
    ['STAKE', 'joe', '0 move -usdc', '0 move chef 0'],
    ['CLAIM', 'joe', '0 income +reward', '1 income +bonus'],
    ['UNSTAKE', 'joe', '0 move +usdc', '0 move chef 0', '1 income +reward', '2 income +bonus'],
  ])
})
