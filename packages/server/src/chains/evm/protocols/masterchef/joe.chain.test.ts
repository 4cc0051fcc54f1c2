import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, parseEther, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { tokens, multicall3 } = addresses.ethereum
const { uni: reward, link: bonus, weth, usdc, dai } = tokens
/** By number: with a bonus token, with a bonus in native coin, without a bonus. */
const POOLS = [usdc, dai, weth] as const
const chefAbi = parseAbi([
  'function add(uint256 allocPoint, address lpToken, address bonus, address wrapped, uint256 bonusPerSec)',
  'function poolInfo(uint256 pid) view returns (address, uint256, uint256, uint256, address rewarder)',
  'function deposit(uint256 pid, uint256 amount)',
  'function withdraw(uint256 pid, uint256 amount)',
])
const balanceAbi = parseAbi(['function getEthBalance(address owner) view returns (uint256)'])

type Chain = HistoryBench['chain']
const owner = seededRandom('joe owner').address()
const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let chef: Address
let rewarders: readonly Address[]

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  chef = await openChef(bench.chain)
  rewarders = await Promise.all(POOLS.map((_, pid) => rewarderOf(bench.chain, chef, pid)))
  rows.push(rowOf(chef))
  await bench.discover()
})
afterAll(() => bench?.stop())

async function openChef(chain: Chain): Promise<Address> {
  const at = await chain.deploy(ownArtifact('JoeChef'), [reward, parseEther('0.02')])
  const terms = [
    [usdc, bonus, parseEther('0.00001')],
    [dai, zeroAddress, parseEther('0.00001')],
    [weth, zeroAddress, 0n],
  ] as const
  for (const [token, paid, perSecond] of terms) {
    const call = { from: owner, address: at, abi: chefAbi, functionName: 'add' } as const
    await chain.write({ ...call, args: [10n, token, paid, weth, perSecond] })
  }
  await chain.actions.erc20.mint(bonus, await rewarderOf(chain, at, 0), parseEther('1000'))
  await chain.actions.native.give(await rewarderOf(chain, at, 1), parseEther('1000'))
  return at
}

async function rewarderOf(chain: Chain, at: Address, pid: number): Promise<Address> {
  const read = { address: at, abi: chefAbi, functionName: 'poolInfo', args: [BigInt(pid)] } as const
  return (await chain.client.readContract(read))[4]
}

const rowOf = (at: Address): ProtocolRow => ({
  ...{ family: 'masterchef', key: 'joe', name: 'Joe', chain: 'ethereum' },
  deployment: { chef: at, reward, pending: 'pendingTokens', layout: 'joe' },
})

async function deposit(chain: Chain, at: Address, wallet: Address, pid: number, amount: bigint): Promise<void> {
  const token = POOLS[pid] ?? usdc
  await chain.actions.erc20.mint(token, wallet, amount)
  await chain.actions.erc20.allow(token, wallet, at)
  const args = [BigInt(pid), amount] as const
  await chain.write({ from: wallet, address: at, abi: chefAbi, functionName: 'deposit', args })
}

/** Payout of the whole stake at the block, in addition to the stake. Native coin is token zero. */
async function paidBy(wallet: Address, pid: number, amount: bigint, blockNumber: bigint) {
  const looks = [
    ...[reward, bonus].map((to) => ({
      to,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
    })),
    {
      to: multicall3,
      data: encodeFunctionData({ abi: balanceAbi, functionName: 'getEthBalance', args: [wallet] }),
    },
  ]
  const data = encodeFunctionData({ abi: chefAbi, functionName: 'withdraw', args: [BigInt(pid), amount] })
  const calls = [...looks, { to: chef, data }, ...looks].map((call) => ({ ...call, account: wallet }))
  const [{ calls: told } = { calls: [] }] = await bench.client.simulateBlocks({ blocks: [{ calls }], blockNumber })
  const words = told.map(({ data: answer }: { data: Hex }) => (answer.length === 66 ? BigInt(answer) : 0n))
  return expectedAmounts(
    ...[reward, bonus, zeroAddress].map(
      (token, i) => [token, (words[looks.length + 1 + i] ?? 0n) - (words[i] ?? 0n)] as const,
    ),
  )
}

async function check(wallet: Address, stakes: readonly bigint[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  for (const [pid, amount] of stakes.entries()) {
    const found = positions.find(({ tokenId }) => tokenId === BigInt(pid))
    expect(amountsOf(found?.supplied ?? [])).toEqual(expectedAmounts([POOLS[pid] ?? usdc, amount]))
    expect(amountsOf(found?.rewards ?? [])).toEqual(await paidBy(wallet, pid, amount, block))
  }
  return positions
}

it('pays what leaving a pool pays: the reward, and a bonus of a token or of the native coin', async () => {
  const random = seededRandom('joe stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const stakes = POOLS.map(() => random.amount(10n ** 6n, 10n ** 24n))
    for (const [pid, amount] of stakes.entries()) await deposit(bench.chain, chef, wallet, pid, amount)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const [withToken, withCoin] = await check(wallet, stakes)
    expect(withToken?.rewards.map(({ token }) => token)).toContain(evmAddress(bonus))
    expect(withCoin?.rewards.map(({ token }) => token)).toContain(evmAddress(zeroAddress))
    await deposit(bench.chain, chef, wallet, 1, 5n)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await check(
      wallet,
      stakes.map((amount, pid) => (pid === 1 ? amount + 5n : amount)),
    )
  }
})

it('shows a bonus as far as its rewarder has it', async () => {
  const wallet = seededRandom('joe unpaid').address()
  const [withToken = chef, withCoin = chef] = rewarders
  for (const pid of [0, 1]) await deposit(bench.chain, chef, wallet, pid, 10n ** 25n)
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.actions.erc20.setBalance(bonus, withToken, 3n)
  await bench.client.setBalance({ address: withCoin, value: 4n })
  await bench.client.mine({ blocks: 1 })
  const [first, second] = await check(wallet, [10n ** 25n, 10n ** 25n])
  expect(amountsOf(first?.rewards ?? [])[evmAddress(bonus)]).toBe(3n)
  expect(amountsOf(second?.rewards ?? [])[evmAddress(zeroAddress)]).toBe(4n)
})

it('plays a stake with its reward and its bonus, and the way back', async () => {
  let at: Address = zeroAddress
  const history = await openHistoryBench(inject('devnetState'), async (chain) => {
    at = await openChef(chain)
    return { rows: [rowOf(at)] }
  })
  const wallet = seededRandom('joe history').address()
  const before = await history.client.getBlockNumber()
  for (const amount of [10n ** 9n, 0n]) {
    await deposit(history.chain, at, wallet, 0, amount)
    await history.chain.travel(600)
  }
  const out = { from: wallet, address: at, abi: chefAbi, functionName: 'withdraw', args: [0n, 10n ** 9n] } as const
  await history.chain.write(out)
  const names = new Map(Object.entries({ usdc, reward, bonus }).map(([name, one]) => [`${evmAddress(one)}`, name]))
  const found = await history.readSince(wallet, before)
  const told = found.flatMap(({ type, protocol, movements }) => {
    const moved = movements.filter(({ amountRaw }) => amountRaw !== 0n)
    if (type === 'APPROVAL' || moved.every(({ counterparty }) => counterparty === zeroAddress)) return []
    return [[type, protocol, ...moved.map(({ treatment, token }) => `${treatment} ${names.get(token)}`).toSorted()]]
  })
  expect(told).toEqual([
    ['STAKE', 'joe', 'move usdc'],
    ['CLAIM', 'joe', 'income bonus', 'income reward'],
    ['UNSTAKE', 'joe', 'income bonus', 'income reward', 'move usdc'],
  ])
  await history.stop()
})
