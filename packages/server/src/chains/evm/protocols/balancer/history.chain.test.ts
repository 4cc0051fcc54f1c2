import {
  addresses,
  type Balancer,
  type BalancerPool,
  createBalancerPool,
  createGauge,
  deployBalancer,
  deployBalancerFees,
  deployGauges,
  exitBalancerPool,
  type Gauges,
  joinBalancerPool,
  ownArtifact,
  tradeInBalancerPool,
} from '@coffer/devnet'
import {
  type Address,
  formatEther,
  formatUnits,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseUnits,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { gaugePlays } from '../../../../../test/gauge-plays.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'

const WEEK_SECONDS = 7 * 86_400
const PROTOCOL = 'balancer'
const { tokens } = addresses.ethereum
const { usdc, dai, weth, uni } = tokens
const feesAbi = parseAbi([
  'function depositToken(address token, uint256 amount)',
  'function claimTokens(address owner, address[] tokens) returns (uint256[])',
])
const vault3Abi = parseAbi([
  'function create(address[] tokens, address[] providers, bool isMade) returns (address)',
  'function add(address pool, uint256[] amounts, uint256 shares)',
  'function removeProportional(address pool, uint256 shares) returns (uint256[])',
  'event PoolRegistered(address indexed pool)',
])

let bench: HistoryBench
let gauges: Gauges
let plays: ReturnType<typeof gaugePlays>
let balancer: Balancer
let weighted: BalancerPool
let stable: BalancerPool
let gauge: Address
let distributor: Address
let vault3: Address
let third: Address
let nextWallet = 0xba_1a_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const giver = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    gauges = await deployGauges(chain, weth)
    balancer = await deployBalancer(chain, gauges)
    weighted = await createBalancerPool(chain, balancer, { kind: 'weighted', coins: [usdc, weth] })
    stable = await createBalancerPool(chain, balancer, { kind: 'stable', coins: [usdc, dai] })
    gauge = await createGauge(chain, gauges, weighted.pool)
    distributor = await deployBalancerFees(chain, gauges)
    vault3 = await chain.deploy(ownArtifact('BalancerVault3'))
    const call = { from: giver, address: vault3, abi: vault3Abi, functionName: 'create' } as const
    const { logs } = await chain.write({ ...call, args: [[usdc, weth], [zeroAddress, zeroAddress], true] })
    third = parseEventLogs({ abi: vault3Abi, logs, eventName: 'PoolRegistered' })[0]?.args.pool ?? zeroAddress
    const { vault, queries, factories } = balancer
    const { controller, minter, token: emitted, escrow } = gauges
    const deployment = {
      ...{ vault, queries, vault3, factories: [...Object.values(factories), vault3] },
      gauges: { controller, minter, emitted },
      escrow: {
        ...{ escrow, token: emitted },
        distributors: [emitted, usdc].map((token) => ({ address: distributor, token, byToken: true })),
      },
    }
    const row = { family: 'balancer', key: PROTOCOL, name: 'Balancer', chain: 'ethereum', deployment }
    return { rows: [row], contracts: [weighted.pool, stable.pool, gauge, third] }
  })
  plays = gaugePlays(bench, gauges)
  for (const made of [weighted, stable]) await join(await newOwner(), made, true)
})
afterAll(() => bench?.stop())

async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  for (const token of [usdc, dai, weth]) {
    await erc20.mint(token, wallet, token === usdc ? parseUnits('5000', 6) : parseEther('5000'))
    for (const spender of [balancer.vault, vault3]) await erc20.allow(token, wallet, spender)
  }
  await erc20.allow(weighted.pool, wallet, gauge)
  return wallet
}

function join(wallet: Address, made: BalancerPool, isFirst = false) {
  const amounts = made.tokens.map((token) => {
    if (evmAddress(token) === evmAddress(made.pool)) return 0n
    return evmAddress(token) === evmAddress(usdc) ? parseUnits('2000', 6) : parseEther('2000')
  })
  return joinBalancerPool(bench.chain, wallet, balancer, made, { amounts, isFirst })
}

const held = (token: Address, wallet: Address) => bench.chain.actions.erc20.balanceOf(token, wallet)
const { summary, sums } = namedHistory(() => ({
  ...{ native: NATIVE, usdc, dai, weth, uni, gauge, third, bal: gauges.token, escrow: gauges.escrow },
  ...{ weighted: weighted.pool, stable: stable.pool },
}))

it.each(['weighted', 'stable'] as const)('liquidity of a %s pool and the way back', async (kind) => {
  const made = { weighted, stable }[kind]
  const coin = { weighted: 'weth', stable: 'dai' }[kind]
  const wallet = await newOwner()
  const found = await bench.played(wallet, async () => {
    await join(wallet, made)
    const shares = await held(made.pool, wallet)
    await exitBalancerPool(bench.chain, wallet, balancer, made, { shares: shares / 2n })
    await exitBalancerPool(bench.chain, wallet, balancer, made, { shares: shares - shares / 2n })
  })
  const coins = [coin, 'usdc'].toSorted()
  const back = ['REMOVELIQUIDITY', PROTOCOL, ...coins.map((each) => `move +${each}`), `move -${kind}`]
  const into = ['ADDLIQUIDITY', PROTOCOL, `move +${kind}`, ...coins.map((each) => `move -${each}`)]
  expect(summary(found)).toEqual([into, back, back])
  expect(sums(found)[kind]).toBe(0n)
})

it('liquidity for the native coin, which the vault wraps, and back', async () => {
  const wallet = await newOwner()
  await bench.fund(wallet, parseEther('2'))
  const found = await bench.played(wallet, async () => {
    const amounts = weighted.tokens.map((token) => (evmAddress(token) === evmAddress(weth) ? parseEther('2') : 0n))
    const wrapped = weighted.tokens.find((token) => evmAddress(token) === evmAddress(weth)) ?? weth
    await joinBalancerPool(bench.chain, wallet, balancer, weighted, { amounts, wrapped })
    const shares = await held(weighted.pool, wallet)
    await exitBalancerPool(bench.chain, wallet, balancer, weighted, { shares, wrapped })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, 'move +weighted', 'move -native'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +native', 'move +usdc', 'move -weighted'],
  ])
})

it('shares that a pool made for itself and trades alone: liquidity, no swap', async () => {
  const wallet = await newOwner()
  const share = stable.pool
  const found = await bench.played(wallet, async () => {
    const amount = parseUnits('100', 6)
    await tradeInBalancerPool(bench.chain, wallet, balancer, stable, { assetIn: usdc, assetOut: share, amount })
    const shares = await held(share, wallet)
    await tradeInBalancerPool(bench.chain, wallet, balancer, stable, { assetIn: share, assetOut: dai, amount: shares })
    await tradeInBalancerPool(bench.chain, wallet, balancer, stable, { assetIn: usdc, assetOut: dai, amount })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, 'move +stable', 'move -usdc'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +dai', 'move -stable'],
    ['SWAP', PROTOCOL, 'swap +dai', 'swap -usdc'],
  ])
})

it('liquidity of the third vault', async () => {
  const wallet = await newOwner()
  const call = { from: wallet, address: vault3, abi: vault3Abi } as const
  const found = await bench.played(wallet, async () => {
    const amounts = [parseUnits('2000', 6), parseEther('1')]
    await bench.chain.write({ ...call, functionName: 'add', args: [third, amounts, parseEther('100')] })
    await bench.chain.write({ ...call, functionName: 'removeProportional', args: [third, parseEther('25')] })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, 'move +third', 'move -usdc', 'move -weth'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +usdc', 'move +weth', 'move -third'],
  ])
  expect(sums(found)).toEqual({ third: parseEther('75'), usdc: -parseUnits('1500', 6), weth: -parseEther('0.75') })
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '5000', paid: '1' },
    weth: { address: weth, price: '2000', had: '5000', paid: '1500' },
    third: { address: third, price: '35' },
  }
  // The deposit was 2,000 * 1 + 1 * 1,500. A quarter of it came back, by worth in halves: 500 USDC and 0.25 WETH at 500
  // USD each.
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { usdc: '3500 at 3437.5', weth: '4999.25 at 7498937.5', third: '75 at 2625' },
    ...{ basis: '7505000', income: '0', realised: '0', disposals: 0, flagged: [] },
  })
})

it('a stake with emissions and rewards, and the way back', async () => {
  const { chain } = bench
  const wallet = await newOwner()
  const joined = await bench.played(wallet, () => join(wallet, weighted))
  const shares = await held(weighted.pool, wallet)
  await plays.addReward(gauge, uni, giver)
  const found = await bench.played(wallet, async () => {
    await plays.stake(wallet, gauge, shares)
    await chain.travel(WEEK_SECONDS)
    await plays.mint(wallet, gauge)
    await plays.claim(wallet, gauge)
    await plays.unstake(wallet, gauge, shares)
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move +gauge', 'move -weighted'],
    ['CLAIM', PROTOCOL, 'income +bal'],
    ['CLAIM', PROTOCOL, 'income +uni'],
    ['UNSTAKE', PROTOCOL, 'move +weighted', 'move -gauge'],
  ])
  const moved = sums(found)
  expect(moved).toMatchObject({ weighted: 0n, gauge: 0n, bal: await held(gauges.token, wallet) })
  expect(moved['bal']).toBeGreaterThan(0n)

  const exited = await bench.played(wallet, () => exitBalancerPool(chain, wallet, balancer, weighted, { shares }))
  const [bal, beside] = [await held(gauges.token, wallet), await held(uni, wallet)]
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '5000', paid: '1' },
    weth: { address: weth, price: '2000', had: '5000', paid: '1500' },
    bal: { address: gauges.token, price: '7' },
    uni: { address: uni, price: '5' },
  }
  const costs = bookedCosts(bench.book, wallet, quotes, [...joined, ...found, ...exited])
  const income = 7n * bal + 5n * beside
  // 5,000 * 1 + 5,000 * 1,500.
  const basis = formatEther(parseEther('7505000') + income)
  expect(costs).toMatchObject({ basis, income: formatEther(income), realised: '0', disposals: 0, flagged: [] })
  expect(costs.held).toEqual({
    usdc: expect.stringContaining(`${formatUnits(await held(usdc, wallet), 6)} at `),
    weth: expect.stringContaining(`${formatEther(await held(weth, wallet))} at `),
    bal: `${formatEther(bal)} at ${formatEther(7n * bal)}`,
    uni: `${formatEther(beside)} at ${formatEther(5n * beside)}`,
  })
})

it('a lock, more of it, fees of several tokens in one claim, and its end', async () => {
  const { chain } = bench
  const other = newWallet()
  await plays.give(other, parseEther('50'))
  await plays.lock(other, parseEther('50'), 50)
  const wallet = newWallet()
  await plays.give(wallet, parseEther('10'))
  const fees = { from: giver, address: distributor, abi: feesAbi } as const
  const pay = async () => {
    await chain.actions.erc20.mint(usdc, giver, parseUnits('700', 6))
    await chain.actions.erc20.allow(usdc, giver, distributor)
    await plays.give(giver, parseEther('70'), distributor)
    await chain.write({ ...fees, functionName: 'depositToken', args: [usdc, parseUnits('700', 6)] })
    await chain.write({ ...fees, functionName: 'depositToken', args: [gauges.token, parseEther('70')] })
  }
  const found = await bench.played(wallet, async () => {
    await plays.lock(wallet, parseEther('5'), 4)
    await plays.addToLock(wallet, parseEther('5'))
    await chain.travel(2 * WEEK_SECONDS)
    await pay()
    await chain.travel(WEEK_SECONDS)
    const args = [wallet, [gauges.token, usdc]] as const
    await chain.write({ ...fees, from: wallet, functionName: 'claimTokens', args })
    await chain.travel(2 * WEEK_SECONDS)
    await plays.unlock(wallet)
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -bal', 'move escrow'],
    ['STAKE', PROTOCOL, 'move -bal', 'move escrow'],
    ['CLAIM', PROTOCOL, 'income +bal', 'income +usdc'],
    ['UNSTAKE', PROTOCOL, 'move +bal', 'move escrow'],
  ])
  const [ofBal, ofUsdc] = [await held(gauges.token, wallet), await held(usdc, wallet)]
  const earned = ofBal - parseEther('10')
  expect(sums(found)).toMatchObject({ usdc: ofUsdc, bal: earned })
  const quotes = {
    bal: { address: gauges.token, price: '7', had: '10', paid: '4' },
    usdc: { address: usdc, decimals: 6, price: '1' },
  }
  // Ten were bought at 4 USD and locked. Fees have the prices of their time.
  const fee = parseUnits(formatUnits(ofUsdc, 6), 18)
  const basis = parseEther('40') + 7n * earned + fee
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      bal: `${formatEther(ofBal)} at ${formatEther(parseEther('40') + 7n * earned)}`,
      usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(ofUsdc, 6)}`,
    },
    ...{ basis: formatEther(basis), income: formatEther(basis - parseEther('40')) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})
