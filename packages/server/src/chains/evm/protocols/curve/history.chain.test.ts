import { addresses, createGauge, deployCurvePool, deployGauges, type Gauges, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, formatUnits, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { gaugePlays } from '../../../../../test/gauge-plays.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'

const WEEK_SECONDS = 7 * 86_400
const PROTOCOL = 'curve'
const { tokens } = addresses.ethereum
const { usdc, weth, uni } = tokens
const poolAbi = parseAbi([
  'function add_liquidity(uint256[] amounts, uint256 first) payable returns (uint256)',
  'function remove_liquidity(uint256 burn, uint256[] least) returns (uint256[])',
])
const registryAbi = parseAbi(['function register(address token, address pool)'])
const distributorAbi = parseAbi([
  'function credit(address owner, uint256 amount)',
  'function claim(address owner) returns (uint256)',
])

let bench: HistoryBench
let gauges: Gauges
let plays: ReturnType<typeof gaugePlays>
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
  plays = gaugePlays(bench, gauges)
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
const { summary, sums } = namedHistory(() => ({
  ...{ share, gauge, silent, usdc, weth, uni, crv: gauges.token, escrow: gauges.escrow },
}))

it('liquidity, a stake with emissions and rewards, and the way back', async () => {
  const { chain } = bench
  const wallet = await newOwner()
  await plays.addReward(gauge, uni, giver)
  const found = await bench.played(wallet, async () => {
    await add(wallet)
    const amount = await held(wallet)
    await plays.stake(wallet, gauge, amount)
    await chain.travel(86_400)
    await plays.mint(wallet, gauge)
    await chain.travel(86_400)
    // The minter logs cumulative amounts.
    await plays.mint(wallet, gauge)
    await plays.claim(wallet, gauge)
    await plays.unstake(wallet, gauge, amount)
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
  const { balanceOf } = chain.actions.erc20
  const [ofUsdc, ofWeth] = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  const [ofUni, ofCrv] = [await balanceOf(uni, wallet), await balanceOf(gauges.token, wallet)]
  expect(sums(found)).toEqual({
    ...{ share: 0n, gauge: 0n, usdc: ofUsdc - parseUnits('3000', 6), weth: ofWeth - parseEther('1') },
    ...{ uni: ofUni, crv: ofCrv },
  })
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '3000', paid: '1' },
    weth: { address: weth, price: '3000', had: '1', paid: '2000' },
    crv: { address: gauges.token, price: '2' },
    uni: { address: uni, price: '5' },
  }
  const income = 2n * ofCrv + 5n * ofUni
  const costs = bookedCosts(bench.book, wallet, quotes, found)
  // 3,000 * 1 + 1 * 2,000, and the claimed rewards.
  const basis = formatEther(parseEther('5000') + income)
  expect(costs).toMatchObject({ basis, income: formatEther(income), realised: '0', disposals: 0, flagged: [] })
  expect(costs.held).toEqual({
    // The returned tokens share the cost by worth.
    usdc: expect.stringContaining(`${formatUnits(ofUsdc, 6)} at `),
    weth: expect.stringContaining(`${formatEther(ofWeth)} at `),
    crv: `${formatEther(ofCrv)} at ${formatEther(2n * ofCrv)}`,
    uni: `${formatEther(ofUni)} at ${formatEther(5n * ofUni)}`,
  })
})

it('a stake in a gauge that issues no token', async () => {
  const wallet = await newOwner()
  await add(wallet)
  const amount = await held(wallet)
  const found = await bench.played(wallet, async () => {
    await plays.stake(wallet, silent, amount)
    await plays.unstake(wallet, silent, amount / 4n)
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -share', 'move silent'],
    ['UNSTAKE', PROTOCOL, 'move +share', 'move silent'],
  ])
  const quotes = { share: { address: share, price: '50', had: formatEther(amount), paid: '40' } }
  const out = amount / 4n
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      share: `${formatEther(out)} at ${formatEther(40n * out)}`,
      'share in a position': `${formatEther(amount - out)} at ${formatEther(40n * (amount - out))}`,
    },
    ...{ basis: formatEther(40n * amount), income: '0', realised: '0', disposals: 0, flagged: [] },
  })
})

it('a lock for votes, more of it, fees, and what was locked', async () => {
  const { chain } = bench
  const wallet = newWallet()
  await plays.give(wallet, parseEther('100'))
  await chain.actions.erc20.mint(usdc, distributor, 1_234n)
  const fees = { address: distributor, abi: distributorAbi } as const
  const locked = await bench.played(wallet, async () => {
    await plays.lock(wallet, parseEther('60'), 5)
    await plays.addToLock(wallet, parseEther('30'))
    await chain.write({ ...fees, from: giver, functionName: 'credit', args: [wallet, 1_234n] })
    await chain.write({ ...fees, from: wallet, functionName: 'claim', args: [wallet] })
  })
  const quotes = {
    crv: { address: gauges.token, price: '3', had: '100', paid: '2' },
    usdc: { address: usdc, decimals: 6, price: '1' },
  }
  expect(bookedCosts(bench.book, wallet, quotes, locked).held).toEqual({
    ...{ crv: '10 at 20', 'crv in a position': '90 at 180', usdc: '0.001234 at 0.001234' },
  })
  const unlocked = await bench.played(wallet, async () => {
    await chain.travel(6 * WEEK_SECONDS)
    await plays.unlock(wallet)
  })
  const found = [...locked, ...unlocked]
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -crv', 'move escrow'],
    ['STAKE', PROTOCOL, 'move -crv', 'move escrow'],
    ['CLAIM', PROTOCOL, 'income +usdc'],
    ['UNSTAKE', PROTOCOL, 'move +crv', 'move escrow'],
  ])
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    ...{ held: { crv: '100 at 200', usdc: '0.001234 at 0.001234' }, basis: '200.001234', income: '0.001234' },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})
