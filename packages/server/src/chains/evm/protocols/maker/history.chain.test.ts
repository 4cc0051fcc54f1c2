import { addresses, deployMaker, type Maker, makerActions } from '@coffer/devnet'
import { type Address, formatEther, parseAbi, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts, shownCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
const { weth, usdc } = addresses.ethereum.tokens
const KINDS = {
  'ETH-A': { token: weth, spot: 1_500n * RAY },
  'USDC-A': { token: usdc, spot: (9n * RAY) / 10n },
}
const jugAbi = parseAbi(['function drip(bytes32 ilk)'])
const savingsAbi = parseAbi(['function join(address dst, uint256 wad)', 'function exitAll(address dst)'])

let bench: HistoryBench
let maker: Maker
let actions: ReturnType<typeof makerActions>
/** The urn of the tested CDP. */
let urn: Address = NATIVE
let nextWallet = 0xc1_ff_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    maker = await deployMaker(chain, KINDS)
    actions = makerActions(chain, maker)
    const { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai } = maker
    const deployment = { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai }
    return { rows: [{ family: 'maker', key: 'local_maker', name: 'Maker', chain: 'ethereum', deployment }] }
  })
})
afterAll(() => bench?.stop())

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const nameOf = (token: string) => {
  const named = { coin: NATIVE, weth, usdc, dai: maker.dai, urn }
  return Object.entries(named).find(([, address]) => evmAddress(address) === token)?.[0] ?? 'position'
}
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, amountRaw, treatment }) =>
        amountRaw === 0n
          ? `${treatment} ${nameOf(token)}`
          : `${treatment} ${amountRaw < 0n ? '-' : '+'}${nameOf(token)}`,
      )
      .toSorted(),
  ])

const balanceOf = (token: Address, wallet: Address) => bench.chain.actions.erc20.balanceOf(token, wallet)

async function expectSums(wallet: Address, found: readonly WalletTransaction[], before: Record<string, bigint>) {
  for (const token of [weth, usdc, maker.dai]) {
    const moved = found.flatMap(({ movements }) => movements).filter((each) => each.token === evmAddress(token))
    const sum = moved.reduce((total, { amountRaw }) => total + amountRaw, 0n)
    expect([nameOf(evmAddress(token)), sum]).toEqual([
      nameOf(evmAddress(token)),
      (await balanceOf(token, wallet)) - (before[token] ?? 0n),
    ])
  }
}

it('a CDP by a proxy: in, borrowed, repaid, out, of a token with fewer decimals than the Vat', async () => {
  const wallet = newWallet()
  const proxy = await actions.buildProxy(wallet)
  const cdp = await actions.open(proxy, 'USDC-A')
  urn = await actions.urnOf(cdp)
  const { erc20 } = bench.chain.actions
  await erc20.mint(usdc, wallet, 1_000_000_000n)
  for (const token of [usdc, maker.dai]) await erc20.allow(token, wallet, proxy)
  await actions.giveDai(wallet, 10n * WAD)
  const at = actions.named('USDC-A')
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'lockGem', [at, cdp, 600_000_000n])
    await actions.act(wallet, proxy, 'lockGemAndDraw', [at, cdp, 400_000_000n, 500n * WAD])
    await actions.act(wallet, proxy, 'lockGemAndDraw', [at, cdp, 0n, 100n * WAD])
    await bench.chain.travel(DAY_SECONDS)
    await actions.act(wallet, proxy, 'wipeAndFreeGem', [at, cdp, 200_000_000n, 300n * WAD])
    await actions.act(wallet, proxy, 'wipeAllAndFreeGem', [at, cdp, 800_000_000n])
  })
  const position = 'urn'
  expect(summary(found)).toEqual([
    ['DEPOSIT', 'local_maker', 'move -usdc', `move ${position}`],
    ['MULTITYPE', 'local_maker', 'borrow +dai', `borrow ${position}`, 'move -usdc', `move ${position}`],
    ['BORROW', 'local_maker', 'borrow +dai', `borrow ${position}`],
    ['MULTITYPE', 'local_maker', 'move +usdc', `move ${position}`, 'repay -dai', `repay ${position}`],
    ['MULTITYPE', 'local_maker', 'move +usdc', `move ${position}`, 'repay -dai', `repay ${position}`],
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
  const wallet = newWallet()
  const proxy = await actions.buildProxy(wallet)
  const cdp = await actions.open(proxy, 'USDC-A')
  urn = await actions.urnOf(cdp)
  const { erc20 } = bench.chain.actions
  await erc20.mint(usdc, wallet, 2_000_000_000n)
  for (const token of [usdc, maker.dai]) await erc20.allow(token, wallet, proxy)
  await actions.giveDai(wallet, 1_000n * WAD)
  const at = actions.named('USDC-A')
  const drip = { from: newWallet(), address: maker.jug, abi: jugAbi, functionName: 'drip' } as const
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'lockGemAndDraw', [at, cdp, 2_000_000_000n, 1_000n * WAD])
    await bench.chain.travel(365 * DAY_SECONDS)
    await bench.chain.write({ ...drip, args: [stringToHex('USDC-A', { size: 32 })] })
    await actions.act(wallet, proxy, 'wipeAndFreeGem', [at, cdp, 0n, 500n * WAD])
    await actions.act(wallet, proxy, 'wipeAllAndFreeGem', [at, cdp, 2_000_000_000n])
  })
  expect(summary(found)).toEqual([
    ['MULTITYPE', 'local_maker', 'borrow +dai', 'borrow urn', 'move -usdc', 'move urn'],
    ['REPAYVAULT', 'local_maker', 'repay -dai', 'repay urn'],
    ['MULTITYPE', 'local_maker', 'move +usdc', 'move urn', 'repay -dai', 'repay urn'],
  ])
  const left = await balanceOf(maker.dai, wallet)
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
  const wallet = newWallet()
  const proxy = await actions.buildProxy(wallet)
  const cdp = await actions.open(proxy, 'ETH-A')
  await bench.fund(wallet, 20n * WAD)
  const at = actions.named('ETH-A')
  urn = await actions.urnOf(cdp)
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'lockETHAndDraw', [at, cdp, 1_000n * WAD], 10n * WAD)
    await actions.act(wallet, proxy, 'wipeAndFreeETH', [at, cdp, 3n * WAD, 0n])
    await actions.liquidate('ETH-A', urn, 2n * WAD)
    await actions.act(wallet, proxy, 'exitGem', [at, cdp, 2n * WAD])
  })
  const position = 'urn'
  expect(summary(found)).toEqual([
    ['MULTITYPE', 'local_maker', 'borrow +dai', `borrow ${position}`, 'move -coin', `move ${position}`],
    ['WITHDRAW', 'local_maker', 'move +coin', `move ${position}`],
    ['WITHDRAW', 'local_maker', 'move +weth', `move ${position}`],
  ])
  await expectSums(wallet, found, {})
})

it('a liquidation is in no history: what it took is in what the CDP is worth, and named once nothing is left', async () => {
  const wallet = newWallet()
  const proxy = await actions.buildProxy(wallet)
  const cdp = await actions.open(proxy, 'ETH-A')
  await bench.fund(wallet, 20n * WAD)
  urn = await actions.urnOf(cdp)
  const at = actions.named('ETH-A')
  const quotes = {
    coin: { address: NATIVE, price: '2000', had: '10', paid: '1000' },
    weth: { address: weth, price: '2000' },
    dai: { address: maker.dai, price: '1' },
  }
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'lockETHAndDraw', [at, cdp, 6_000n * WAD], 10n * WAD)
    await actions.liquidate('ETH-A', urn, 3n * WAD)
  })
  const { positions } = await bench.read(wallet)
  // 3 of 10 coins are left, at 2,000 each. They show the cost of all ten, less the borrowed 6,000.
  expect(shownCosts(positions, bench.book, wallet, quotes, found)).toEqual({
    positions: ['cost 4000, open 2000'],
    lacks: [],
  })
  const rest = await played(wallet, () => actions.act(wallet, proxy, 'exitGem', [at, cdp, 3n * WAD]))
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
  const wallet = newWallet()
  const proxy = await actions.buildProxy(wallet)
  await actions.giveDai(wallet, 100n * WAD)
  for (const spender of [proxy, maker.dsrManager]) await bench.chain.actions.erc20.allow(maker.dai, wallet, spender)
  const manager = { from: wallet, address: maker.dsrManager, abi: savingsAbi } as const
  const found = await played(wallet, async () => {
    await actions.act(wallet, proxy, 'save', [maker.daiJoin, maker.pot, 60n * WAD])
    await bench.chain.write({ ...manager, functionName: 'join', args: [wallet, 40n * WAD] })
    await bench.chain.travel(100 * DAY_SECONDS)
    await actions.act(wallet, proxy, 'unsaveAll', [maker.daiJoin, maker.pot])
    await bench.chain.write({ ...manager, functionName: 'exitAll', args: [wallet] })
  })
  expect(summary(found)).toEqual([
    ['DEPOSIT', 'local_maker', 'move -dai', 'move position'],
    ['DEPOSIT', 'local_maker', 'move -dai', 'move position'],
    ['WITHDRAW', 'local_maker', 'move +dai', 'move position'],
    ['WITHDRAW', 'local_maker', 'move +dai', 'move position'],
  ])
  const places = found.map(({ movements }) => movements.find(({ amountRaw }) => amountRaw === 0n)?.token)
  expect(places).toEqual([proxy, maker.dsrManager, proxy, maker.dsrManager].map(evmAddress))
  await expectSums(wallet, found, { [maker.dai]: 100n * WAD })
  const left = await balanceOf(maker.dai, wallet)
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
  const [wallet, other] = [newWallet(), newWallet()]
  const proxy = await actions.buildProxy(other)
  const cdp = await actions.open(proxy, 'USDC-A')
  const { erc20 } = bench.chain.actions
  await erc20.mint(usdc, other, 1_000_000_000n)
  await erc20.allow(usdc, other, proxy)
  await erc20.mint(usdc, wallet, 5n)
  const found = await played(wallet, async () => {
    await actions.act(other, proxy, 'lockGemAndDraw', [actions.named('USDC-A'), cdp, 1_000_000_000n, 500n * WAD])
    await erc20.transfer(maker.dai, other, wallet, 500n * WAD)
  })
  expect(summary(found)).toEqual([['TRANSFERIN', null, 'acquire +dai']])
})
