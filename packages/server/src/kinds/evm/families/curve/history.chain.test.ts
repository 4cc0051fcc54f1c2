import { addresses, createGauge, deployCurvePool, deployGauges, type Gauges, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const WEEK_SECONDS = 7 * 86_400
const PROTOCOL = 'curve'
const { tokens } = addresses.ethereum
const { usdc, weth, uni } = tokens
const poolAbi = parseAbi([
  'function add_liquidity(uint256[] amounts, uint256 first) payable returns (uint256)',
  'function remove_liquidity(uint256 burn, uint256[] least) returns (uint256[])',
])
const registryAbi = parseAbi(['function register(address token, address pool)'])
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function add_reward(address token, address distributor)',
  'function deposit_reward_token(address token, uint256 amount)',
  'function claim_rewards()',
])
const minterAbi = parseAbi(['function mint(address gauge)'])
const escrowAbi = parseAbi([
  'function create_lock(uint256 amount, uint256 end)',
  'function increase_amount(uint256 amount)',
  'function withdraw()',
])
const distributorAbi = parseAbi([
  'function credit(address owner, uint256 amount)',
  'function claim(address owner) returns (uint256)',
])
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

let bench: HistoryBench
let gauges: Gauges
let pool: Address
let share: Address
let gauge: Address
let silent: Address
let distributor: Address
let nextWallet = 0xc0_0e_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const giver = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    const registry = await chain.deploy(ownArtifact('CurveRegistry'))
    gauges = await deployGauges(chain, weth)
    const made = await deployCurvePool(chain, [usdc, weth], { isCrypto: true })
    pool = made.pool
    share = made.token
    const enter = { from: giver, address: registry, abi: registryAbi, functionName: 'register' } as const
    await chain.write({ ...enter, args: [share, pool] })
    gauge = await createGauge(chain, gauges, share)
    silent = await chain.deploy(ownArtifact('CurveGauge'), [share, 10n ** 15n])
    distributor = await chain.deploy(ownArtifact('FeeDistributor'), [usdc])
    const { controller, minter, token: emitted, escrow } = gauges
    const row = { family: 'curve', key: PROTOCOL, name: 'Curve', chain: 'ethereum' }
    const deployment = {
      ...{ registry, pools: [{ name: 'first', pool, token: share, gauge: silent }] },
      gauges: { controller, minter, emitted },
      escrow: { escrow, token: emitted, distributors: [{ address: distributor, token: usdc }] },
    }
    return { rows: [{ ...row, deployment }], contracts: [share, gauge] }
  })
})
afterAll(() => bench?.stop())

async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await erc20.mint(usdc, wallet, parseUnits('3000', 6))
  await erc20.mint(weth, wallet, parseEther('1'))
  for (const token of [usdc, weth]) await erc20.allow(token, wallet, pool)
  for (const spender of [gauge, silent]) await erc20.allow(share, wallet, spender)
  return wallet
}

const add = (wallet: Address) => {
  const args = [[parseUnits('3000', 6), parseEther('1')], parseEther('100')] as const
  return bench.chain.write({ from: wallet, address: pool, abi: poolAbi, functionName: 'add_liquidity', args })
}
const held = (wallet: Address) => bench.chain.actions.erc20.balanceOf(share, wallet)
const at = (wallet: Address, address: Address) => ({ from: wallet, address, abi: gaugeAbi }) as const

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const named = () =>
  new Map(
    Object.entries({ share, gauge, silent, usdc, weth, uni, crv: gauges.token, escrow: gauges.escrow }).map(
      ([name, address]) => [`${evmAddress(address)}`, name],
    ),
  )
function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, amountRaw, treatment }) => `${treatment} ${signOf(amountRaw)}${named().get(token) ?? token}`)
      .toSorted(),
  ])
const sumsOf = (transactions: readonly WalletTransaction[]) => {
  const sums = new Map<string, bigint>()
  for (const { token, amountRaw } of transactions.flatMap(({ movements }) => movements))
    sums.set(named().get(token) ?? token, (sums.get(named().get(token) ?? token) ?? 0n) + amountRaw)
  return Object.fromEntries(sums)
}

it('liquidity, a stake with emissions and rewards, and the way back', async () => {
  const { chain } = bench
  const wallet = await newOwner()
  await chain.write({ ...at(gauges.adaptor, gauge), functionName: 'add_reward', args: [uni, giver] })
  await chain.actions.erc20.mint(uni, giver, parseEther('700'))
  await chain.actions.erc20.allow(uni, giver, gauge)
  await chain.travel(WEEK_SECONDS)
  await chain.write({ ...at(giver, gauge), functionName: 'deposit_reward_token', args: [uni, parseEther('700')] })
  const found = await played(wallet, async () => {
    await add(wallet)
    const amount = await held(wallet)
    await chain.write({ ...at(wallet, gauge), functionName: 'deposit', args: [amount] })
    await chain.travel(86_400)
    await chain.write({ from: wallet, address: gauges.minter, abi: minterAbi, functionName: 'mint', args: [gauge] })
    await chain.travel(86_400)
    // The minter logs what was minted at all times.
    await chain.write({ from: wallet, address: gauges.minter, abi: minterAbi, functionName: 'mint', args: [gauge] })
    await chain.write({ ...at(wallet, gauge), functionName: 'claim_rewards' })
    await chain.write({ ...at(wallet, gauge), functionName: 'withdraw', args: [amount] })
    const burn = { from: wallet, address: pool, abi: poolAbi, functionName: 'remove_liquidity' } as const
    await chain.write({ ...burn, args: [amount, [0n, 0n]] })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, 'move +share', 'move -usdc', 'move -weth'],
    ['STAKE', PROTOCOL, 'move +gauge', 'move -share'],
    ['CLAIM', PROTOCOL, 'income +crv'],
    ['CLAIM', PROTOCOL, 'income +crv'],
    ['CLAIM', PROTOCOL, 'income +uni'],
    ['UNSTAKE', PROTOCOL, 'move +share', 'move -gauge'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +usdc', 'move +weth', 'move -share'],
  ])
  const { erc20 } = chain.actions
  expect(sumsOf(found)).toEqual({
    ...{ share: 0n, gauge: 0n, usdc: (await erc20.balanceOf(usdc, wallet)) - parseUnits('3000', 6) },
    weth: (await erc20.balanceOf(weth, wallet)) - parseEther('1'),
    uni: await erc20.balanceOf(uni, wallet),
    crv: await erc20.balanceOf(gauges.token, wallet),
  })
})

it('a stake in a gauge that issues no token', async () => {
  const wallet = await newOwner()
  await add(wallet)
  const amount = await held(wallet)
  const found = await played(wallet, async () => {
    await bench.chain.write({ ...at(wallet, silent), functionName: 'deposit', args: [amount] })
    await bench.chain.write({ ...at(wallet, silent), functionName: 'withdraw', args: [amount / 3n] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -share', 'move silent'],
    ['UNSTAKE', PROTOCOL, 'move +share', 'move silent'],
  ])
})

it('a lock for votes, more of it, fees, and what was locked', async () => {
  const { chain, client } = bench
  const wallet = newWallet()
  const own = { from: wallet, address: gauges.escrow, abi: escrowAbi } as const
  const give = { from: gauges.holder, address: gauges.token, abi: tokenAbi, functionName: 'transfer' } as const
  await chain.write({ ...give, args: [wallet, parseEther('90')] })
  await chain.actions.erc20.allow(gauges.token, wallet, gauges.escrow)
  await chain.actions.erc20.mint(usdc, distributor, 1_234n)
  const { timestamp } = await client.getBlock()
  const found = await played(wallet, async () => {
    const until = timestamp + BigInt(5 * WEEK_SECONDS)
    await chain.write({ ...own, functionName: 'create_lock', args: [parseEther('60'), until] })
    await chain.write({ ...own, functionName: 'increase_amount', args: [parseEther('30')] })
    const fees = { from: wallet, address: distributor, abi: distributorAbi } as const
    await chain.write({ ...fees, from: giver, functionName: 'credit', args: [wallet, 1_234n] })
    await chain.write({ ...fees, functionName: 'claim', args: [wallet] })
    await chain.travel(6 * WEEK_SECONDS)
    await chain.write({ ...own, functionName: 'withdraw' })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -crv', 'move escrow'],
    ['STAKE', PROTOCOL, 'move -crv', 'move escrow'],
    ['CLAIM', PROTOCOL, 'income +usdc'],
    ['UNSTAKE', PROTOCOL, 'move +crv', 'move escrow'],
  ])
})
