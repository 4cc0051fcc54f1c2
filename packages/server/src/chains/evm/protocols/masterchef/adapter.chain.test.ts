import { addresses, ownArtifact } from '@coffer/devnet'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseEther,
  parseUnits,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const { tokens, uniswapV2, multicall3 } = addresses.ethereum
const { uni: reward, link: bonus } = tokens
const chefAbi = parseAbi([
  'function add(uint256 allocPoint, address lpToken)',
  'function deposit(uint256 pid, uint256 amount)',
  'function withdraw(uint256 pid, uint256 amount)',
  'function emergencyWithdraw(uint256 pid)',
  'function retire()',
])
const miniAbi = parseAbi([
  'function add(uint64 allocPoint, address lpToken, address rewarder)',
  'function deposit(uint256 pid, uint256 amount, address to)',
  'function withdraw(uint256 pid, uint256 amount, address to)',
  'function withdrawAndHarvest(uint256 pid, uint256 amount, address to)',
  'function harvest(uint256 pid, address to)',
])
const rewarderAbi = parseAbi(['function turn(bool broken)'])
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

let bench: Awaited<ReturnType<typeof openProtocolBench>>
const rows: ProtocolRow[] = []
/** By number: two pairs, and the reward itself. */
const POOLS = [uniswapV2.pairs.usdcWeth, uniswapV2.pairs.daiWeth, reward] as const
let chef: Address
let mini: Address
let rewarder: Address

const owner = seededRandom('masterchef owner').address()

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  chef = await openChef('v1')
  rewarder = await bench.chain.deploy(ownArtifact('ChefRewarder'), [bonus, parseEther('0.25')])
  mini = await openMini([zeroAddress, rewarder, zeroAddress])
})
afterAll(() => bench?.stop())

async function list(name: string, at: Address, layout: 'v1' | 'v2'): Promise<void> {
  rows.push({
    ...{ family: 'masterchef', key: name, name, chain: 'ethereum' },
    deployment: { chef: at, reward, pending: 'pendingSushi', layout },
  })
  await bench.discover()
}

async function openChef(name: string): Promise<Address> {
  const at = await bench.chain.deploy(ownArtifact('MasterChef'), [reward, owner, parseEther('3')])
  const call = { from: owner, address: at, abi: chefAbi, functionName: 'add' } as const
  for (const [pid, pool] of POOLS.entries()) await bench.chain.write({ ...call, args: [BigInt(10 + 7 * pid), pool] })
  await list(name, at, 'v1')
  return at
}

async function openMini(rewarders: readonly Address[]): Promise<Address> {
  const at = await bench.chain.deploy(ownArtifact('MiniChef'), [reward, parseEther('0.01')])
  const call = { from: owner, address: at, abi: miniAbi, functionName: 'add' } as const
  for (const [pid, pool] of POOLS.entries()) {
    await bench.chain.write({ ...call, args: [BigInt(5 + 3 * pid), pool, rewarders[pid] ?? zeroAddress] })
  }
  await list('mini', at, 'v2')
  return at
}

/** Gives the wallet shares of both pairs and some of the reward. Returns its balances of the pool tokens. */
async function giveShares(wallet: Address, random: Random): Promise<bigint[]> {
  const { erc20, uniswapV2: pool } = bench.chain.actions
  const dollars = () => random.amount(10n ** 6n, parseUnits('500000', 6))
  for (const [token, amount] of [
    [tokens.usdc, dollars()],
    [tokens.dai, dollars() * 10n ** 12n],
  ] as const) {
    await erc20.mint(token, wallet, amount)
    await erc20.mint(tokens.weth, wallet, parseEther('500'))
    await pool.add(wallet, { token, amount }, { token: tokens.weth, amount: parseEther('500') })
  }
  await erc20.mint(reward, wallet, random.amount(1n, parseEther('1000')))
  return Promise.all(POOLS.map((token) => erc20.balanceOf(token, wallet)))
}

async function allow(wallet: Address, spender: Address): Promise<void> {
  for (const token of POOLS) await bench.chain.actions.erc20.allow(token, wallet, spender)
}

type Act = 'deposit' | 'withdraw'
const act = (wallet: Address, functionName: Act, pid: number, amount: bigint) =>
  bench.chain.write({ from: wallet, address: chef, abi: chefAbi, functionName, args: [BigInt(pid), amount] })
const actAtMini = (
  wallet: Address,
  functionName: Act | 'withdrawAndHarvest',
  pid: number,
  amount: bigint,
  to = wallet,
) => bench.chain.write({ from: wallet, address: mini, abi: miniAbi, functionName, args: [BigInt(pid), amount, to] })

/** Increase of each token by the wallet's own calls at the block: Multicall3 is placed at its address. */
async function paidBy(wallet: Address, blockNumber: bigint, calls: readonly { target: Address; callData: Hex }[]) {
  const paid = [...new Set<Address>([...POOLS, bonus])]
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const balances = paid.map((target) => ({ target, callData: data, allowFailure: false }))
  const steps = [...balances, ...calls.map((call) => ({ ...call, allowFailure: false })), ...balances]
  const input = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [steps] })
  const code = (await bench.client.getCode({ address: multicall3 })) ?? '0x'
  const answer = await bench.client.call({
    ...{ to: wallet, data: input, blockNumber },
    stateOverride: [{ address: wallet, code }],
  })
  const done = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer.data ?? '0x' })
  const words = done.map(({ returnData }) => (returnData === '0x' ? 0n : BigInt(returnData.slice(0, 66))))
  return paid.map((token, i) => [token, (words[words.length - paid.length + i] ?? 0n) - (words[i] ?? 0n)] as const)
}

const inPool = (positions: readonly Position[], at: Address, pid: number) =>
  positions.find(({ pool, tokenId }) => pool === at.toLowerCase() && tokenId === BigInt(pid))

/** Compares every pool with the payout of the whole stake at the same block. */
async function check(
  wallet: Address,
  at: Address,
  staked: readonly bigint[],
  leave: (pid: number) => Hex,
): Promise<void> {
  const { positions, block } = await bench.read(wallet)
  for (const [pid, amount] of staked.entries()) {
    const position = inPool(positions, at, pid)
    const paid = await paidBy(wallet, block, [{ target: at, callData: leave(pid) }])
    expect(amountsOf([...(position?.supplied ?? []), ...(position?.rewards ?? [])])).toEqual(expectedAmounts(...paid))
    expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([POOLS[pid] ?? zeroAddress, amount]))
  }
}

it('a chef of v1 pays what taking out the stake pays, to the unit, in every pool', async () => {
  const random = seededRandom('masterchef v1')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const shares = await giveShares(wallet, random)
    await allow(wallet, chef)
    const staked = shares.map((share) => random.amount(share / 4n, share / 2n))
    for (const [pid, amount] of staked.entries()) await act(wallet, 'deposit', pid, amount)
    await bench.client.mine({ blocks: 1 + random.index(50) })
    const leave = (pid: number) =>
      encodeFunctionData({ abi: chefAbi, functionName: 'withdraw', args: [BigInt(pid), staked[pid] ?? 0n] })
    await check(wallet, chef, staked, leave)
    const taken = random.amount(1n, (staked[1] ?? 2n) - 1n)
    await act(wallet, 'withdraw', 1, taken)
    staked[1] = (staked[1] ?? 0n) - taken
    await act(wallet, 'deposit', 0, 0n)
    await bench.client.mine({ blocks: random.index(9) })
    await check(wallet, chef, staked, leave)
    await act(wallet, 'withdraw', 0, staked[0] ?? 0n)
    expect(inPool((await bench.read(wallet)).positions, chef, 0)).toBeUndefined()
  }
})

it('a chef of v2 pays rewards and those of its rewarder, also of a stake that was taken out', async () => {
  const random = seededRandom('masterchef v2')
  const { erc20 } = bench.chain.actions
  await erc20.mint(reward, mini, parseEther('1000000'))
  await erc20.mint(bonus, rewarder, parseEther('1000000'))
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const shares = await giveShares(wallet, random)
    await allow(wallet, mini)
    const staked = shares.map((share) => random.amount(share / 4n, share / 2n))
    for (const [pid, amount] of staked.entries()) await actAtMini(wallet, 'deposit', pid, amount)
    await bench.chain.travel(1 + random.index(5 * DAY_SECONDS))
    const leave = (pid: number) => {
      const args = [BigInt(pid), staked[pid] ?? 0n, wallet] as const
      return encodeFunctionData({ abi: miniAbi, functionName: 'withdrawAndHarvest', args })
    }
    await check(wallet, mini, staked, leave)
    // The reward of the withdrawn stake stays in the chef: the debt is then negative.
    await actAtMini(wallet, 'withdraw', 1, staked[1] ?? 0n)
    staked[1] = 0n
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await check(wallet, mini, staked, leave)
    const { positions } = await bench.read(wallet)
    expect(inPool(positions, mini, 1)?.rewards.map(({ token }) => token)).toEqual([
      reward.toLowerCase(),
      bonus.toLowerCase(),
    ])
  }
})

it('counts a reward as far as it can be paid, over all pools, and none that no claim pays', async () => {
  const random = seededRandom('masterchef unpaid')
  const { erc20 } = bench.chain.actions
  const wallet = random.address()
  await giveShares(wallet, random)
  await allow(wallet, mini)
  for (const pid of [0, 1]) await actAtMini(wallet, 'deposit', pid, 10n ** 9n)
  await bench.chain.travel(DAY_SECONDS)
  await erc20.setBalance(reward, mini, 7n)
  await erc20.setBalance(bonus, rewarder, 5n)
  const { positions } = await bench.read(wallet)
  expect(amountsOf(positions.flatMap(({ rewards }) => rewards))).toEqual(expectedAmounts([reward, 7n], [bonus, 5n]))

  // A chef that cannot mint reverts with every claim: only `emergencyWithdraw` returns the stake.
  const old = await openChef('old')
  await allow(wallet, old)
  const call = { from: wallet, address: old, abi: chefAbi } as const
  await bench.chain.write({ ...call, functionName: 'deposit', args: [0n, 10n ** 9n] })
  await bench.client.mine({ blocks: 20 })
  await bench.chain.write({ ...call, functionName: 'retire' })
  const retired = inPool((await bench.read(wallet)).positions, old, 0)
  expect(retired).toMatchObject({ supplied: [{ amountRaw: 10n ** 9n }], rewards: [] })
  await bench.chain.write({ ...call, functionName: 'emergencyWithdraw', args: [0n] })
  expect(inPool((await bench.read(wallet)).positions, old, 0)).toBeUndefined()
})

it('finds a stake that a router put in, and says what a broken rewarder hides', async () => {
  const random = seededRandom('masterchef router')
  const wallet = random.address()
  const [share = 0n, other = 0n] = await giveShares(wallet, random)
  const router = await bench.chain.deploy(ownArtifact('ChefRouter'))
  await allow(wallet, router)
  const stake = parseAbi(['function stake(address chef, address share, uint256 pid, uint256 amount)'])
  const call = { from: wallet, address: router, abi: stake, functionName: 'stake' } as const
  await bench.chain.write({ ...call, args: [mini, POOLS[0], 0n, share] })
  await bench.chain.write({ ...call, args: [mini, POOLS[1], 1n, other] })
  const write = { from: owner, address: rewarder, abi: rewarderAbi, functionName: 'turn' } as const
  await bench.chain.write({ ...write, args: [true] })
  const left: unknown[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => left.push(why) })
  expect(inPool(positions, mini, 0)?.supplied).toMatchObject([{ amountRaw: share }])
  expect(inPool(positions, mini, 1)?.supplied).toMatchObject([{ amountRaw: other }])
  expect(left.map(String)).toEqual([`Error: the rewarder of pool 1 of chef ${mini.toLowerCase()} could not be read`])
  await bench.chain.write({ ...write, args: [false] })
})

it('costs a wallet that was never there no call', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
