import { addresses, deployMaker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, formatEther } from 'viem'
import { expect, it } from 'vitest'
import { bookedCosts, shownCosts } from '../../../../../test/booked-costs.ts'
import { ownAt } from '../../../../../test/contract-of.ts'
import { historyBench, legsOf } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
const PROTOCOL = 'local_maker'
const { weth, usdc } = addresses.ethereum.tokens
const KINDS = {
  'ETH-A': { token: weth, spot: 1_500n * RAY },
  'USDC-A': { token: usdc, spot: (9n * RAY) / 10n },
}

const bench = await historyBench(async (chain) => {
  const maker = await deployMaker(chain, KINDS)
  const { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai } = maker
  const deployment = { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai }
  return { maker, rows: [{ family: 'maker', key: PROTOCOL, name: 'Maker', chain: 'ethereum', deployment }] }
})
const { chain, played } = bench
const { erc20 } = chain.actions
const { maker } = bench.made
const actions = makerActions(chain, maker)

/** A wallet with an empty CDP of its proxy. */
async function newCdp(kind: keyof typeof KINDS) {
  const wallet = bench.newWallet()
  const proxy = await actions.buildProxy(wallet)
  const cdp = await actions.open(proxy, kind)
  const act = (functionName: string, amounts: readonly bigint[], value?: bigint) =>
    actions.act(wallet, proxy, functionName, [actions.named(kind), cdp, ...amounts], value)
  return { wallet, proxy, urn: await actions.urnOf(cdp), act }
}

/** Gives USDC and DAI, which the proxy may take. */
async function give(wallet: Address, proxy: Address, amounts: { usdc: bigint; dai: bigint }): Promise<void> {
  await erc20.mint(usdc, wallet, amounts.usdc)
  await actions.giveDai(wallet, amounts.dai)
  for (const token of [usdc, maker.dai]) await erc20.allow(token, wallet, proxy)
}

const summary = (transactions: readonly WalletTransaction[], urn: Address) =>
  legsOf(transactions, { coin: NATIVE, weth, usdc, dai: maker.dai, urn })

async function expectSums(wallet: Address, found: readonly WalletTransaction[], before: Record<string, bigint>) {
  for (const token of [weth, usdc, maker.dai]) {
    const moved = found.flatMap(({ movements }) => movements).filter((each) => each.token === evmAddress(token))
    const sum = moved.reduce((total, { amountRaw }) => total + amountRaw, 0n)
    expect(sum, token).toBe((await erc20.balanceOf(token, wallet)) - (before[token] ?? 0n))
  }
}

it('a CDP by a proxy: in, borrowed, repaid, out, of a token with fewer decimals than the Vat', async () => {
  const { wallet, proxy, urn, act } = await newCdp('USDC-A')
  await give(wallet, proxy, { usdc: 1_000_000_000n, dai: 10n * WAD })
  const found = await played(wallet, async () => {
    await act('lockGem', [600_000_000n])
    await act('lockGemAndDraw', [400_000_000n, 500n * WAD])
    await act('lockGemAndDraw', [0n, 100n * WAD])
    await chain.travel(DAY_SECONDS)
    await act('wipeAndFreeGem', [200_000_000n, 300n * WAD])
    await act('wipeAllAndFreeGem', [800_000_000n])
  })
  expect(summary(found, urn)).toEqual([
    ['DEPOSIT', PROTOCOL, '0 move -usdc', '0 move urn 0'],
    ['MULTITYPE', PROTOCOL, '0 move -usdc', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['BORROW', PROTOCOL, '0 borrow +dai', '0 borrow urn 0'],
    ['MULTITYPE', PROTOCOL, '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
    ['MULTITYPE', PROTOCOL, '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
  ])
  await expectSums(wallet, found, { [usdc]: 1_000_000_000n, [maker.dai]: 10n * WAD })
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '1000', paid: '0.9' },
    dai: { address: maker.dai, price: '1', had: '10', paid: '1' },
  }
  // A fee of 5 % a year, for the one second between the draws: 500 DAI times 0.000000001547125957863212448, rounded up.
  const fee = 773_562_978_932n
  const left = 10n * WAD - fee
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { usdc: '1000 at 900', dai: `${formatEther(left)} at ${formatEther(left)}` },
    ...{ basis: formatEther(900n * WAD + left), income: '0', realised: formatEther(-fee), disposals: 2, flagged: [] },
  })
})

it('a CDP whose fees are paid with the debt: what they cost is realised', async () => {
  const { wallet, proxy, urn, act } = await newCdp('USDC-A')
  await give(wallet, proxy, { usdc: 2_000_000_000n, dai: 1_000n * WAD })
  const found = await played(wallet, async () => {
    await act('lockGemAndDraw', [2_000_000_000n, 1_000n * WAD])
    await chain.travel(365 * DAY_SECONDS)
    await ownAt(chain, 'MakerJug', maker.jug).write(bench.newWallet(), 'drip', makerIlk('USDC-A'))
    await act('wipeAndFreeGem', [0n, 500n * WAD])
    await act('wipeAllAndFreeGem', [2_000_000_000n])
  })
  expect(summary(found, urn)).toEqual([
    ['MULTITYPE', PROTOCOL, '0 move -usdc', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['REPAYVAULT', PROTOCOL, '0 repay -dai', '0 repay urn 0'],
    ['MULTITYPE', PROTOCOL, '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
  ])
  const left = await erc20.balanceOf(maker.dai, wallet)
  const fee = 1_000n * WAD - left
  // 5 % a year.
  expect(fee > (4_999n * WAD) / 100n && fee < (5_001n * WAD) / 100n).toBe(true)
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '2000', paid: '1' },
    dai: { address: maker.dai, price: '1', had: '1000', paid: '0.9' },
  }
  // A thousand at 0.9 and the borrowed thousand at 1: a unit costs 0.95. The repaid amount had yielded 1,000 USD. The
  // accounts show 18 decimals, half to even.
  const [whole, rest] = [(95n * left) / 100n, (95n * left) % 100n]
  const basis = rest > 50n || (rest === 50n && whole % 2n === 1n) ? whole + 1n : whole
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { usdc: '2000 at 2000', dai: `${formatEther(left)} at ${formatEther(basis)}` },
    ...{ basis: formatEther(2_000n * WAD + basis), realised: formatEther(basis - 900n * WAD) },
    ...{ income: '0', disposals: 2, flagged: [] },
  })
})

it('ether in and out by a proxy, and what a liquidation left', async () => {
  const { wallet, urn, act } = await newCdp('ETH-A')
  await bench.fund(wallet, 20n * WAD)
  const found = await played(wallet, async () => {
    await act('lockETHAndDraw', [1_000n * WAD], 10n * WAD)
    await act('wipeAndFreeETH', [3n * WAD, 0n])
    await actions.liquidate('ETH-A', urn, 2n * WAD)
    await act('exitGem', [2n * WAD])
  })
  expect(summary(found, urn)).toEqual([
    ['MULTITYPE', PROTOCOL, '0 move -coin', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['WITHDRAW', PROTOCOL, '0 move +coin', '0 move urn 0'],
    ['WITHDRAW', PROTOCOL, '0 move +weth', '0 move urn 0'],
  ])
  await expectSums(wallet, found, {})
})

it('a liquidation is in no history: what it took is in what the CDP is worth, and named once nothing is left', async () => {
  const { wallet, urn, act } = await newCdp('ETH-A')
  await bench.fund(wallet, 20n * WAD)
  const quotes = {
    coin: { address: NATIVE, price: '2000', had: '10', paid: '1000' },
    weth: { address: weth, price: '2000' },
    dai: { address: maker.dai, price: '1' },
  }
  const found = await played(wallet, async () => {
    await act('lockETHAndDraw', [6_000n * WAD], 10n * WAD)
    await actions.liquidate('ETH-A', urn, 3n * WAD)
  })
  const { positions } = await bench.read(wallet)
  // 3 of 10 coins are left, at 2,000 each. They show the cost of all ten, less the borrowed 6,000.
  expect(shownCosts(positions, bench.book, wallet, quotes, found)).toEqual({
    positions: ['cost 4000, open 2000'],
    lacks: [],
  })
  const rest = await played(wallet, () => act('exitGem', [3n * WAD]))
  const all = [...found, ...rest]
  const after = (await bench.read(wallet)).positions
  expect(shownCosts(after, bench.book, wallet, quotes, all)).toEqual({
    positions: [],
    lacks: [`balance-differs ${evmAddress(urn)}`],
  })
  // Wrapped coin is another token: its cost is recovered up to its worth.
  expect(bookedCosts(bench.book, wallet, quotes, all)).toMatchObject({
    held: { weth: '3 at 6000', 'coin in a position': '4 at 4000', 'owed dai in a position': '6000 at 6000' },
    ...{ realised: '0', income: '0', flagged: [] },
  })
})

it('savings by a proxy and by the manager', async () => {
  const wallet = bench.newWallet()
  const proxy = await actions.buildProxy(wallet)
  await actions.giveDai(wallet, 100n * WAD)
  for (const spender of [proxy, maker.dsrManager]) await erc20.allow(maker.dai, wallet, spender)
  const manager = ownAt(chain, 'DsrManager', maker.dsrManager)
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'save', [maker.daiJoin, maker.pot, 60n * WAD])
    await manager.write(wallet, 'join', wallet, 40n * WAD)
    await chain.travel(100 * DAY_SECONDS)
    await actions.act(wallet, proxy, 'unsaveAll', [maker.daiJoin, maker.pot])
    await manager.write(wallet, 'exitAll', wallet)
  })
  expect(legsOf(found, { dai: maker.dai, proxy, manager: maker.dsrManager })).toEqual([
    ['DEPOSIT', PROTOCOL, '0 move -dai', '0 move proxy 0'],
    ['DEPOSIT', PROTOCOL, '0 move -dai', '0 move manager 0'],
    ['WITHDRAW', PROTOCOL, '0 move +dai', '0 move proxy 0'],
    ['WITHDRAW', PROTOCOL, '0 move +dai', '0 move manager 0'],
  ])
  await expectSums(wallet, found, { [maker.dai]: 100n * WAD })
  const left = await erc20.balanceOf(maker.dai, wallet)
  const earned = left - 100n * WAD
  // 3 % a year, for 100 days: 0.813.
  expect(earned > (81n * WAD) / 100n && earned < (82n * WAD) / 100n).toBe(true)
  const quotes = { dai: { address: maker.dai, price: '1', had: '100', paid: '0.9' } }
  expect(bookedCosts(bench.book, wallet, quotes, found.slice(0, 2)).held).toEqual({ 'dai in a position': '100 at 90' })
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { dai: `${formatEther(left)} at ${formatEther(90n * WAD + earned)}` },
    ...{ basis: formatEther(90n * WAD + earned), income: formatEther(earned) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('counts nothing of what another did by a proxy of its own', async () => {
  const wallet = bench.newWallet()
  const { wallet: other, proxy, urn, act } = await newCdp('USDC-A')
  await give(other, proxy, { usdc: 1_000_000_000n, dai: 0n })
  await erc20.mint(usdc, wallet, 5n)
  const found = await played(wallet, async () => {
    await act('lockGemAndDraw', [1_000_000_000n, 500n * WAD])
    await erc20.transfer(maker.dai, other, wallet, 500n * WAD)
  })
  expect(summary(found, urn)).toEqual([['TRANSFERIN', null, '0 acquire +dai']])
})
