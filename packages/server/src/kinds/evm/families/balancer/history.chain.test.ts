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
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const WEEK_SECONDS = 7 * 86_400
const PROTOCOL = 'balancer'
const { tokens } = addresses.ethereum
const { usdc, dai, weth, uni } = tokens
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
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

let bench: HistoryBench
let gauges: Gauges
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
const at = (wallet: Address, address: Address) => ({ from: wallet, address, abi: gaugeAbi }) as const

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const named = () =>
  new Map(
    Object.entries({
      ...{ native: NATIVE, usdc, dai, weth, uni, gauge, third, bal: gauges.token, escrow: gauges.escrow },
      ...{ weighted: weighted.pool, stable: stable.pool },
    }).map(([name, address]) => [`${evmAddress(address)}`, name]),
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

it.each(['weighted', 'stable'] as const)('liquidity of a %s pool and the way back', async (kind) => {
  const made = { weighted, stable }[kind]
  const coin = { weighted: 'weth', stable: 'dai' }[kind]
  const wallet = await newOwner()
  const found = await played(wallet, async () => {
    await join(wallet, made)
    const shares = await held(made.pool, wallet)
    await exitBalancerPool(bench.chain, wallet, balancer, made, { shares: shares / 2n })
    await exitBalancerPool(bench.chain, wallet, balancer, made, { shares: shares - shares / 2n })
  })
  const coins = [coin, 'usdc'].toSorted()
  const back = ['REMOVELIQUIDITY', PROTOCOL, ...coins.map((each) => `move +${each}`), `move -${kind}`]
  const into = ['ADDLIQUIDITY', PROTOCOL, `move +${kind}`, ...coins.map((each) => `move -${each}`)]
  expect(summary(found)).toEqual([into, back, back])
  expect(sumsOf(found)[kind]).toBe(0n)
})

it('liquidity for the native coin, which the vault wraps, and back', async () => {
  const wallet = await newOwner()
  await bench.fund(wallet, parseEther('2'))
  const found = await played(wallet, async () => {
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
  const found = await played(wallet, async () => {
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
  const found = await played(wallet, async () => {
    const amounts = [parseUnits('2000', 6), parseEther('1')]
    await bench.chain.write({ ...call, functionName: 'add', args: [third, amounts, parseEther('100')] })
    await bench.chain.write({ ...call, functionName: 'removeProportional', args: [third, parseEther('100')] })
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, 'move +third', 'move -usdc', 'move -weth'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +usdc', 'move +weth', 'move -third'],
  ])
  expect(sumsOf(found)).toEqual({ third: 0n, usdc: 0n, weth: 0n })
})

it('a stake with emissions and rewards, and the way back', async () => {
  const { chain } = bench
  const wallet = await newOwner()
  const joined = await played(wallet, () => join(wallet, weighted))
  const shares = await held(weighted.pool, wallet)
  await chain.write({ ...at(gauges.adaptor, gauge), functionName: 'add_reward', args: [uni, giver] })
  await chain.actions.erc20.mint(uni, giver, parseEther('700'))
  await chain.actions.erc20.allow(uni, giver, gauge)
  await chain.travel(WEEK_SECONDS)
  await chain.write({ ...at(giver, gauge), functionName: 'deposit_reward_token', args: [uni, parseEther('700')] })
  const found = await played(wallet, async () => {
    await chain.write({ ...at(wallet, gauge), functionName: 'deposit', args: [shares] })
    await chain.travel(WEEK_SECONDS)
    const mint = { from: wallet, address: gauges.minter, abi: minterAbi, functionName: 'mint' } as const
    await chain.write({ ...mint, args: [gauge] })
    await chain.write({ ...at(wallet, gauge), functionName: 'claim_rewards' })
    await chain.write({ ...at(wallet, gauge), functionName: 'withdraw', args: [shares] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move +gauge', 'move -weighted'],
    ['CLAIM', PROTOCOL, 'income +bal'],
    ['CLAIM', PROTOCOL, 'income +uni'],
    ['UNSTAKE', PROTOCOL, 'move +weighted', 'move -gauge'],
  ])
  const sums = sumsOf(found)
  expect(sums).toMatchObject({ weighted: 0n, gauge: 0n, bal: await held(gauges.token, wallet) })
  expect(sums['bal']).toBeGreaterThan(0n)

  const exited = await played(wallet, () => exitBalancerPool(chain, wallet, balancer, weighted, { shares }))
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
  const { chain, client } = bench
  const lock = async (wallet: Address, amount: bigint, weeks: number) => {
    const give = { from: gauges.holder, address: gauges.token, abi: tokenAbi, functionName: 'transfer' } as const
    await chain.write({ ...give, args: [wallet, amount] })
    await chain.actions.erc20.allow(gauges.token, wallet, gauges.escrow)
    const { timestamp } = await client.getBlock()
    const call = { from: wallet, address: gauges.escrow, abi: escrowAbi, functionName: 'create_lock' } as const
    return () => chain.write({ ...call, args: [amount / 2n, timestamp + BigInt(weeks * WEEK_SECONDS)] })
  }
  await (await lock(newWallet(), parseEther('100'), 50))()
  const wallet = newWallet()
  const begin = await lock(wallet, parseEther('10'), 4)
  const fees = { from: giver, address: distributor, abi: feesAbi } as const
  const pay = async () => {
    await chain.actions.erc20.mint(usdc, giver, parseUnits('700', 6))
    await chain.actions.erc20.allow(usdc, giver, distributor)
    const give = { from: gauges.holder, address: gauges.token, abi: tokenAbi, functionName: 'transfer' } as const
    await chain.write({ ...give, args: [giver, parseEther('70')] })
    await chain.actions.erc20.allow(gauges.token, giver, distributor)
    await chain.write({ ...fees, functionName: 'depositToken', args: [usdc, parseUnits('700', 6)] })
    await chain.write({ ...fees, functionName: 'depositToken', args: [gauges.token, parseEther('70')] })
  }
  const own = { from: wallet, address: gauges.escrow, abi: escrowAbi } as const
  const found = await played(wallet, async () => {
    await begin()
    await chain.write({ ...own, functionName: 'increase_amount', args: [parseEther('5')] })
    await chain.travel(2 * WEEK_SECONDS)
    await pay()
    await chain.travel(WEEK_SECONDS)
    const args = [wallet, [gauges.token, usdc]] as const
    await chain.write({ ...fees, from: wallet, functionName: 'claimTokens', args })
    await chain.travel(2 * WEEK_SECONDS)
    await chain.write({ ...own, functionName: 'withdraw' })
  })
  expect(summary(found)).toEqual([
    ['STAKE', PROTOCOL, 'move -bal', 'move escrow'],
    ['STAKE', PROTOCOL, 'move -bal', 'move escrow'],
    ['CLAIM', PROTOCOL, 'income +bal', 'income +usdc'],
    ['UNSTAKE', PROTOCOL, 'move +bal', 'move escrow'],
  ])
  const sums = sumsOf(found)
  expect(sums).toMatchObject({ usdc: await held(usdc, wallet) })
  expect(sums['bal']).toBe((await held(gauges.token, wallet)) - parseEther('10'))
})
