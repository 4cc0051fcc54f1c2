import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { tokens } = addresses.ethereum
const { usdc, weth, uni: reward } = tokens
const PROTOCOL = 'solidly'
const factoryAbi = parseAbi([
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
])
const voterAbi = parseAbi([
  'function createGauge(address pool) returns (address)',
  'function gauges(address pool) view returns (address)',
  'function notifyReward(address gauge, uint256 amount)',
  'function claimRewards(address[] claimed)',
])
const poolAbi = parseAbi([
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function claimFees()',
])
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function deposit(uint256 amount, address to)',
  'function withdraw(uint256 amount)',
  'function getReward(address owner)',
])
const routerAbi = parseAbi([
  'function add(address pool, address token0, address token1, uint256 amount0, uint256 amount1, address gauge)',
  'function remove(address pool, uint256 liquidity)',
  'function stake(address pool, uint256 liquidity, address gauge)',
])

let bench: HistoryBench
let pool: Address
let gauge: Address
let voter: Address
let router: Address
let nextWallet = 0x501d_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const owner = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async ({ client, deploy, write }) => {
    const factory = await deploy(ownArtifact('SolidlyFactory'))
    voter = await deploy(ownArtifact('SolidlyVoter'), [reward])
    router = await deploy(ownArtifact('SolidlyRouter'))
    const made = { address: factory, abi: factoryAbi, args: [usdc, weth, false] } as const
    await write({ from: owner, ...made, functionName: 'createPool' })
    pool = await client.readContract({ ...made, functionName: 'getPool' })
    const gauged = { address: voter, abi: voterAbi, args: [pool] } as const
    await write({ from: owner, ...gauged, functionName: 'createGauge' })
    gauge = await client.readContract({ ...gauged, functionName: 'gauges' })
    const row = { family: 'solidly', key: PROTOCOL, name: 'Solidly', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { factory, voter } }], contracts: [pool, gauge] }
  })
})
afterAll(() => bench?.stop())

/** A wallet with both coins and pool shares, approved for router and gauge. */
async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await erc20.mint(usdc, wallet, parseUnits('60000', 6))
  await erc20.mint(weth, wallet, parseEther('20'))
  for (const token of [usdc, weth, pool]) await erc20.allow(token, wallet, router)
  await erc20.allow(pool, wallet, gauge)
  return wallet
}

const viaRouter = (wallet: Address) => ({ from: wallet, address: router, abi: routerAbi }) as const
const added = (at: Address) => [pool, usdc, weth, parseUnits('3000', 6), parseEther('1'), at] as const
const shareOf = (wallet: Address) => bench.chain.actions.erc20.balanceOf(pool, wallet)

async function emit(amount: bigint): Promise<void> {
  await bench.chain.startWeek()
  const { erc20 } = bench.chain.actions
  await erc20.mint(reward, owner, amount)
  await erc20.allow(reward, owner, voter)
  const call = { from: owner, address: voter, abi: voterAbi, functionName: 'notifyReward' } as const
  await bench.chain.write({ ...call, args: [gauge, amount] })
  await bench.chain.travel(3_600)
}

/** Sells coins below the pool's price, so that both sides have fees. */
async function trade(): Promise<void> {
  const { chain } = bench
  const swap = { from: owner, address: pool, abi: poolAbi, functionName: 'swap' } as const
  await chain.actions.erc20.mint(usdc, pool, parseUnits('300', 6))
  const isFirst = usdc.toLowerCase() < weth.toLowerCase()
  const of = (amount: bigint, takesUsdc: boolean) =>
    (isFirst === takesUsdc ? [amount, 0n] : [0n, amount]) as [bigint, bigint]
  await chain.write({ ...swap, args: [...of(parseEther('0.05'), false), owner, '0x'] })
  await chain.actions.erc20.mint(weth, pool, parseEther('0.1'))
  await chain.write({ ...swap, args: [...of(parseUnits('150', 6), true), owner, '0x'] })
}

const named = () =>
  new Map(Object.entries({ pool, gauge, usdc, weth, reward }).map(([name, at]) => [`${evmAddress(at)}`, name]))

const signs: Record<string, string> = { true: '-', false: '+' }
const signOf = (amountRaw: bigint) => (amountRaw === 0n ? '' : (signs[`${amountRaw < 0n}`] ?? ''))

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    type,
    protocol,
    ...movements
      .map(({ token, amountRaw, leg, treatment }) => {
        return `${leg} ${treatment} ${signOf(amountRaw)}${named().get(token) ?? token}`
      })
      .toSorted(),
  ])

it('liquidity, its fees, a stake with emissions, and the way back', async () => {
  const wallet = await newOwner()
  const at = { from: wallet, address: gauge, abi: gaugeAbi } as const
  const found = await bench.played(wallet, async () => {
    await bench.chain.write({ ...viaRouter(wallet), functionName: 'add', args: added(zeroAddress) })
    await trade()
    await bench.chain.write({ from: wallet, address: pool, abi: poolAbi, functionName: 'claimFees' })
    const share = await shareOf(wallet)
    await bench.chain.write({ ...at, functionName: 'deposit', args: [share / 2n] })
    await bench.chain.write({ ...viaRouter(wallet), functionName: 'stake', args: [pool, share / 4n, gauge] })
    await emit(parseEther('100'))
    await bench.chain.write({ ...at, functionName: 'getReward', args: [wallet] })
    await bench.chain.travel(3_600)
    const claim = { from: wallet, address: voter, abi: voterAbi, functionName: 'claimRewards' } as const
    await bench.chain.write({ ...claim, args: [[gauge]] })
    await bench.chain.write({ ...at, functionName: 'withdraw', args: [share / 2n + share / 4n] })
    await bench.chain.write({ ...viaRouter(wallet), functionName: 'remove', args: [pool, await shareOf(wallet)] })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, '0 move +pool', '0 move -usdc', '0 move -weth'],
    ['CLAIM', PROTOCOL, '0 income +usdc', '1 income +weth'],
    ['STAKE', PROTOCOL, '0 move -pool', '0 move gauge'],
    ['STAKE', PROTOCOL, '0 move -pool', '0 move gauge'],
    ['CLAIM', PROTOCOL, '0 income +reward'],
    ['CLAIM', PROTOCOL, '0 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +pool', '0 move gauge'],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +usdc', '0 move +weth', '0 move -pool'],
  ])
  const shares = found.flatMap(({ movements }) => movements.filter(({ token }) => token === evmAddress(pool)))
  expect(shares.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)).toBe(0n)
})

it('a stake for another wallet is sent, and is the other’s', async () => {
  const [wallet, other] = [await newOwner(), newWallet()]
  await bench.chain.write({ ...viaRouter(wallet), functionName: 'add', args: added(zeroAddress) })
  const share = await shareOf(wallet)
  const call = { from: wallet, address: gauge, abi: gaugeAbi, functionName: 'deposit' } as const
  const sent = await bench.played(wallet, () => bench.chain.write({ ...call, args: [share, other] }))
  expect(summary(sent)).toEqual([['TRANSFEROUT', PROTOCOL, '0 send -pool']])
  expect(sent[0]?.movements.map(({ counterparty }) => counterparty)).toEqual([other])
  const out = { from: other, address: gauge, abi: gaugeAbi, functionName: 'withdraw', args: [share] } as const
  const back = await bench.played(other, () => bench.chain.write(out))
  expect(summary(back)).toEqual([['UNSTAKE', PROTOCOL, '0 move +pool', '0 move gauge']])
})
