import { addresses, deployMaker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, formatEther, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { unsold } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { legsOf, ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts, positionAt } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
const { tokens } = addresses.ethereum
const { weth, usdc } = tokens
/** A unit backs at most 1,500 DAI, or nine tenths of one. */
const KINDS = {
  'ETH-A': { token: tokens.weth, spot: 1_500n * RAY, scale: 1n },
  'USDC-A': { token: tokens.usdc, spot: (9n * RAY) / 10n, scale: 10n ** 12n },
}
type Kind = keyof typeof KINDS
/** For one owner in one read. */
const MOST_CDPS = 256
const proxyAbi = parseAbi(['function setOwner(address owner)'])

const rows: ProtocolRow[] = []
const random = seededRandom('maker')
const bench = await ownBench(rows)
const { chain } = bench
const { erc20 } = chain.actions
const maker = await deployMaker(chain, KINDS)
const actions = makerActions(chain, maker)
const { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai, daiJoin } = maker
rows.push({
  ...{ family: 'maker', key: 'maker', name: 'Maker', chain: 'ethereum' },
  deployment: { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai },
})
await bench.discover()
const atVat = contractOf(chain, vat, 'MakerVat')

const drip = (kind: Kind) => contractOf(chain, jug, 'MakerJug').write(random.address(), 'drip', makerIlk(kind))
const rateOf = async (kind: Kind) => (await atVat.read<bigint[]>('ilks', makerIlk(kind)))[1] ?? 0n

/** A wallet with an empty CDP of its proxy. */
async function newCdp(kind: Kind) {
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
  for (const token of [usdc, dai]) await erc20.allow(token, wallet, proxy)
}

const { costs, shown } = namedHistory(bench, () => ({ coin: NATIVE, weth, usdc, dai: dai }))
const summary = (transactions: readonly WalletTransaction[], urn: Address) =>
  legsOf(transactions, { coin: NATIVE, weth, usdc, dai, urn })

async function expectSums(wallet: Address, found: readonly WalletTransaction[], before: Record<string, bigint>) {
  for (const token of [weth, usdc, dai]) {
    const moved = found.flatMap(({ movements }) => movements).filter((each) => each.token === evmAddress(token))
    const sum = moved.reduce((total, { amountRaw }) => total + amountRaw, 0n)
    expect(sum, token).toBe((await erc20.balanceOf(token, wallet)) - (before[token] ?? 0n))
  }
}

it('a CDP by a proxy: in, borrowed, repaid, out, of a token with fewer decimals than the Vat', async () => {
  const { wallet, proxy, urn, act } = await newCdp('USDC-A')
  await give(wallet, proxy, { usdc: 1_000_000_000n, dai: 10n * WAD })
  const found = await bench.played(wallet, async () => {
    await act('lockGem', [600_000_000n])
    await act('lockGemAndDraw', [400_000_000n, 500n * WAD])
    await act('lockGemAndDraw', [0n, 100n * WAD])
    await chain.travel(DAY_SECONDS)
    await act('wipeAndFreeGem', [200_000_000n, 300n * WAD])
    await act('wipeAllAndFreeGem', [800_000_000n])
  })
  expect(summary(found, urn)).toEqual([
    ['DEPOSIT', 'maker', '0 move -usdc', '0 move urn 0'],
    ['MULTITYPE', 'maker', '0 move -usdc', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['BORROW', 'maker', '0 borrow +dai', '0 borrow urn 0'],
    ['MULTITYPE', 'maker', '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
    ['MULTITYPE', 'maker', '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
  ])
  await expectSums(wallet, found, { [usdc]: 1_000_000_000n, [dai]: 10n * WAD })
  // A fee of 5 % a year, for the one second between the draws: 500 DAI times 0.000000001547125957863212448, rounded up.
  const fee = 773_562_978_932n
  const left = 10n * WAD - fee
  expect(costs(wallet, 'usdc:6 1 had 1000 at 0.9, dai 1 had 10 at 1', found)).toEqual({
    held: { usdc: '1000 at 900', dai: `${formatEther(left)} at ${formatEther(left)}` },
    ...{ basis: formatEther(900n * WAD + left), income: '0', realised: formatEther(-fee), disposals: 2, flagged: [] },
  })
})

it('a CDP whose fees are paid with the debt: what they cost is realised', async () => {
  const { wallet, proxy, urn, act } = await newCdp('USDC-A')
  await give(wallet, proxy, { usdc: 2_000_000_000n, dai: 1_000n * WAD })
  const found = await bench.played(wallet, async () => {
    await act('lockGemAndDraw', [2_000_000_000n, 1_000n * WAD])
    await chain.travel(365 * DAY_SECONDS)
    await contractOf(chain, jug, 'MakerJug').write(bench.newWallet(), 'drip', makerIlk('USDC-A'))
    await act('wipeAndFreeGem', [0n, 500n * WAD])
    await act('wipeAllAndFreeGem', [2_000_000_000n])
  })
  expect(summary(found, urn)).toEqual([
    ['MULTITYPE', 'maker', '0 move -usdc', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['REPAYVAULT', 'maker', '0 repay -dai', '0 repay urn 0'],
    ['MULTITYPE', 'maker', '0 move +usdc', '0 move urn 0', '1 repay -dai', '1 repay urn 0'],
  ])
  const left = await erc20.balanceOf(dai, wallet)
  const fee = 1_000n * WAD - left
  // 5 % a year.
  expect(fee > (4_999n * WAD) / 100n && fee < (5_001n * WAD) / 100n).toBe(true)
  // A thousand at 0.9 and the borrowed thousand at 1: a unit costs 0.95. The repaid amount had yielded 1,000 USD. The
  // accounts show 18 decimals, half to even.
  const [whole, rest] = [(95n * left) / 100n, (95n * left) % 100n]
  const basis = rest > 50n || (rest === 50n && whole % 2n === 1n) ? whole + 1n : whole
  expect(costs(wallet, 'usdc:6 1 had 2000 at 1, dai 1 had 1000 at 0.9', found)).toEqual({
    held: { usdc: '2000 at 2000', dai: `${formatEther(left)} at ${formatEther(basis)}` },
    ...{ basis: formatEther(2_000n * WAD + basis), realised: formatEther(basis - 900n * WAD) },
    ...{ income: '0', disposals: 2, flagged: [] },
  })
})

it('ether in and out by a proxy, and what a liquidation left', async () => {
  const { wallet, urn, act } = await newCdp('ETH-A')
  await bench.fund(wallet, 20n * WAD)
  const found = await bench.played(wallet, async () => {
    await act('lockETHAndDraw', [1_000n * WAD], 10n * WAD)
    await act('wipeAndFreeETH', [3n * WAD, 0n])
    await actions.liquidate('ETH-A', urn, 2n * WAD)
    await act('exitGem', [2n * WAD])
  })
  expect(summary(found, urn)).toEqual([
    ['MULTITYPE', 'maker', '0 move -coin', '0 move urn 0', '1 borrow +dai', '1 borrow urn 0'],
    ['WITHDRAW', 'maker', '0 move +coin', '0 move urn 0'],
    ['WITHDRAW', 'maker', '0 move +weth', '0 move urn 0'],
  ])
  await expectSums(wallet, found, {})
})

it('a liquidation is in no history: what it took is in what the CDP is worth, and named once nothing is left', async () => {
  const { wallet, urn, act } = await newCdp('ETH-A')
  await bench.fund(wallet, 20n * WAD)
  const quotes = 'coin 2000 had 10 at 1000, weth 2000, dai 1'
  const found = await bench.played(wallet, async () => {
    await act('lockETHAndDraw', [6_000n * WAD], 10n * WAD)
    await actions.liquidate('ETH-A', urn, 3n * WAD)
  })
  const { positions } = await bench.read(wallet)
  // 3 of 10 coins are left, at 2,000 each. They show the cost of all ten, less the borrowed 6,000.
  expect(shown(wallet, quotes, found, positions)).toEqual({ positions: ['cost 4000, open 2000'], lacks: [] })
  const rest = await bench.played(wallet, () => act('exitGem', [3n * WAD]))
  const all = [...found, ...rest]
  const after = (await bench.read(wallet)).positions
  expect(shown(wallet, quotes, all, after)).toEqual({ positions: [], lacks: [`balance-differs ${evmAddress(urn)}`] })
  // Wrapped coin is another token: its cost is recovered up to its worth.
  expect(costs(wallet, quotes, all)).toMatchObject({
    held: { weth: '3 at 6000', 'coin in a position': '4 at 4000', 'owed dai in a position': '6000 at 6000' },
    ...{ realised: '0', income: '0', flagged: [] },
  })
})

it('savings by a proxy and by the manager', async () => {
  const wallet = bench.newWallet()
  const proxy = await actions.buildProxy(wallet)
  await actions.giveDai(wallet, 100n * WAD)
  for (const spender of [proxy, dsrManager]) await erc20.allow(dai, wallet, spender)
  const manager = contractOf(chain, dsrManager, 'DsrManager')
  const found = await bench.played(wallet, async () => {
    await actions.act(wallet, proxy, 'save', [daiJoin, pot, 60n * WAD])
    await manager.write(wallet, 'join', wallet, 40n * WAD)
    await chain.travel(100 * DAY_SECONDS)
    await actions.act(wallet, proxy, 'unsaveAll', [daiJoin, pot])
    await manager.write(wallet, 'exitAll', wallet)
  })
  expect(legsOf(found, { dai, proxy, manager: dsrManager })).toEqual([
    ['DEPOSIT', 'maker', '0 move -dai', '0 move proxy 0'],
    ['DEPOSIT', 'maker', '0 move -dai', '0 move manager 0'],
    ['WITHDRAW', 'maker', '0 move +dai', '0 move proxy 0'],
    ['WITHDRAW', 'maker', '0 move +dai', '0 move manager 0'],
  ])
  await expectSums(wallet, found, { [dai]: 100n * WAD })
  const left = await erc20.balanceOf(dai, wallet)
  const earned = left - 100n * WAD
  // 3 % a year, for 100 days: 0.813.
  expect(earned > (81n * WAD) / 100n && earned < (82n * WAD) / 100n).toBe(true)
  const quotes = 'dai 1 had 100 at 0.9'
  expect(costs(wallet, quotes, found.slice(0, 2)).held).toEqual({ 'dai in a position': '100 at 90' })
  expect(costs(wallet, quotes, found)).toEqual({
    held: { dai: `${formatEther(left)} at ${formatEther(90n * WAD + earned)}` },
    ...unsold(90n * WAD + earned, earned),
  })
})

it('counts nothing of what another did by a proxy of its own', async () => {
  const wallet = bench.newWallet()
  const { wallet: other, proxy, urn, act } = await newCdp('USDC-A')
  await give(other, proxy, { usdc: 1_000_000_000n, dai: 0n })
  await erc20.mint(usdc, wallet, 5n)
  const found = await bench.played(wallet, async () => {
    await act('lockGemAndDraw', [1_000_000_000n, 500n * WAD])
    await erc20.transfer(dai, other, wallet, 500n * WAD)
  })
  expect(summary(found, urn)).toEqual([['TRANSFERIN', null, '0 acquire +dai']])
})

/** A CDP of the wallet's proxy with collateral, and a debt of a tenth to nine tenths of its limit. */
async function openCdp(wallet: Address, proxy: Address, kind: Kind) {
  const { token, spot, scale } = KINDS[kind]
  const cdp = await actions.open(proxy, kind)
  const amount = random.amount(WAD / scale, (100n * WAD) / scale)
  const most = (amount * scale * spot) / RAY
  await bench.give(wallet, token, amount, proxy)
  const drawn = random.amount(most / 10n, (most * 9n) / 10n)
  await actions.act(wallet, proxy, 'lockGemAndDraw', [actions.named(kind), cdp, amount, drawn])
  return { cdp, amount, drawn }
}

const { atTheTimeOfTheRead } = bench
const isOf = (cdp: bigint, { label }: Position) => label.endsWith(` #${cdp}`)
const numbered = (positions: readonly Position[], cdp: bigint) => positions.find((position) => isOf(cdp, position))
const numbersOf = (positions: readonly Position[]) => positions.map(({ label }) => BigInt(label.split('#')[1] ?? 0))

const owedIn = (position: Position | undefined) => position?.borrowed[0]?.amountRaw ?? 0n

it('a CDP of a proxy owes exactly what repays it at the time of the read, fees included', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const kind: Kind = round === 1 ? 'USDC-A' : 'ETH-A'
    const { token, spot, scale } = KINDS[kind]
    const proxy = await actions.buildProxy(wallet)
    const { cdp, amount, drawn } = await openCdp(wallet, proxy, kind)
    await chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const position = numbered(positions, cdp)
    expect(positions).toEqual([position])
    const owed = owedIn(position)
    expect(owed).toBeGreaterThan(drawn)
    expect(position).toMatchObject({
      ...{ protocol: 'maker', kind: 'lending', label: `Vault ${kind} #${cdp}`, receipts: [], rewards: [] },
      pool: evmAddress(await actions.urnOf(cdp)),
      ...{ supplied: [{ token: evmAddress(token), amountRaw: amount }] },
      ...{ borrowed: [{ token: evmAddress(dai), amountRaw: owed }] },
    })
    const before = (await erc20.balanceOf(dai, wallet)) + owed
    await atTheTimeOfTheRead(async () => {
      await actions.giveDai(wallet, owed)
      await erc20.allow(dai, wallet, proxy)
      await drip(kind)
      // The liquidation threshold is the Vat's own comparison: ink × spot against art × rate.
      const urn = await actions.urnOf(cdp)
      const [ink, art] = await atVat.read<[bigint, bigint]>('urns', makerIlk(kind), urn)
      expect(ink).toBe(amount * scale)
      expect(position?.healthFactorRaw).toBe((ink * spot * WAD) / (art * (await rateOf(kind))))
      await actions.act(wallet, proxy, 'wipeAllAndFreeGem', [actions.named(kind), cdp, amount])
    })
    expect(before - (await erc20.balanceOf(dai, wallet))).toBe(owed)
    expect(await erc20.balanceOf(token, wallet)).toBe(amount)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('all of what a wallet has, by several proxies, by itself, and given to it', async () => {
  const [wallet, other] = [random.address(), random.address()]
  const proxies = [await actions.buildProxy(wallet), await actions.buildProxy(wallet, other)] as const
  const [first, second] = [await openCdp(wallet, proxies[0], 'ETH-A'), await openCdp(wallet, proxies[1], 'USDC-A')]
  const otherProxy = await actions.buildProxy(other)
  const given = await openCdp(other, otherProxy, 'ETH-A')
  await actions.act(other, otherProxy, 'give', [cdpManager, given.cdp, wallet])
  const { positions, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  expect(numbersOf(positions)).toEqual([given.cdp, first.cdp, second.cdp])
  expect(numbered(positions, given.cdp)?.supplied).toMatchObject([{ amountRaw: given.amount }])
  expect((await bench.read(other)).positions).toEqual([])
  // After a transfer, only the new owner has it.
  await contractOf(chain, cdpManager, 'MakerCdpManager').write(wallet, 'give', given.cdp, other)
  expect(numbered((await bench.read(wallet)).positions, given.cdp)).toBeUndefined()
  expect(numbersOf((await bench.read(other)).positions)).toEqual([given.cdp])
})

it('an urn that is the wallet itself', async () => {
  const wallet = random.address()
  const ilk = makerIlk('ETH-A')
  await erc20.mint(tokens.weth, wallet, 3n * WAD)
  const join = maker.joins['ETH-A'] ?? vat
  await erc20.allow(tokens.weth, wallet, join)
  await contractOf(chain, join, 'MakerJoin').write(wallet, 'join', wallet, 3n * WAD)
  await atVat.write(wallet, 'frob', ilk, wallet, wallet, wallet, 2n * WAD, 1_000n * WAD)
  const { positions } = await bench.read(wallet)
  await atTheTimeOfTheRead(() => drip('ETH-A'))
  const loose = await atVat.read('dai', wallet)
  expect(positions).toMatchObject([
    // Two locked and one unlocked.
    { pool: evmAddress(wallet), tokenId: BigInt(ilk), supplied: [{ amountRaw: 3n * WAD }] },
    { pool: evmAddress(vat), label: 'DAI in the Vat', supplied: [{ amountRaw: loose / RAY }] },
  ])
  // Rounded up: the rate has 27 digits.
  const rad = 1_000n * WAD * (await rateOf('ETH-A'))
  expect(owedIn(positions[0])).toBe(rad / RAY + (rad % RAY > 0n ? 1n : 0n))
})

it('collateral that a liquidation left at the urn, and DAI that lies there', async () => {
  const wallet = random.address()
  const proxy = await actions.buildProxy(wallet)
  const { cdp, amount } = await openCdp(wallet, proxy, 'ETH-A')
  const urn = await actions.urnOf(cdp)
  const gift = 7n * WAD
  const outsider = random.address()
  await actions.giveDai(outsider, gift)
  await erc20.allow(dai, outsider, daiJoin)
  const before = owedIn(numbered((await bench.read(wallet)).positions, cdp))
  await atTheTimeOfTheRead(() => contractOf(chain, daiJoin, 'MakerDaiJoin').write(outsider, 'join', urn, gift))
  const { positions } = await bench.read(wallet)
  expect(owedIn(numbered(positions, cdp))).toBe(before - gift)
  const left = random.amount(1n, amount - 1n)
  await actions.liquidate('ETH-A', urn, left)
  const after = numbered((await bench.read(wallet)).positions, cdp)
  expect(after).toMatchObject({ supplied: [{ amountRaw: left }], borrowed: [] })
  expect(after?.healthFactorRaw).toBeUndefined()
  await actions.act(wallet, proxy, 'exitGem', [actions.named('ETH-A'), cdp, left])
  expect(await erc20.balanceOf(tokens.weth, wallet)).toBe(left)
})

it('savings of a proxy and by the manager, as what taking all of them pays', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const proxy = await actions.buildProxy(wallet)
    const [byProxy, managed] = [random.amount(WAD, 10n ** 24n), random.amount(WAD, 10n ** 24n)]
    await actions.giveDai(wallet, byProxy + managed)
    for (const spender of [proxy, dsrManager]) await erc20.allow(dai, wallet, spender)
    await actions.act(wallet, proxy, 'save', [daiJoin, pot, byProxy])
    const manager = contractOf(chain, dsrManager, 'DsrManager')
    await manager.write(wallet, 'join', wallet, managed)
    await chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const at = (pool: Address) => positionAt(positions, pool)
    await atTheTimeOfTheRead(async () => {
      await actions.act(wallet, proxy, 'unsaveAll', [daiJoin, pot])
      const paid = await erc20.balanceOf(dai, wallet)
      expect(amountsOf(at(proxy)?.supplied)).toEqual(expectedAmounts([dai, paid]))
      await manager.write(wallet, 'exitAll', wallet)
      const more = (await erc20.balanceOf(dai, wallet)) - paid
      expect(amountsOf(at(dsrManager)?.supplied)).toEqual(expectedAmounts([dai, more]))
    })
    expect(at(proxy)).toMatchObject({ kind: 'yield', label: 'DAI savings' })
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('reads nothing of a proxy that changed hands, and no CDP that others open for the wallet', async () => {
  const [wallet, other] = [random.address(), random.address()]
  const proxy = await actions.buildProxy(wallet)
  const { cdp } = await openCdp(wallet, proxy, 'ETH-A')
  expect(numbered((await bench.read(wallet)).positions, cdp)).toBeDefined()
  await contractOf(chain, proxy, proxyAbi).write(wallet, 'setOwner', other)
  await actions.open(wallet, 'ETH-A', other)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('reports a CDP whose collateral the registry does not know, and reads the others', async () => {
  const wallet = random.address()
  const proxy = await actions.buildProxy(wallet)
  const { cdp } = await openCdp(wallet, proxy, 'ETH-A')
  await maker.addIlk('ODD-A', RAY)
  const odd = await actions.open(wallet, 'ODD-A')
  await actions.credit('ODD-A', await actions.urnOf(odd), 5n)
  const { positions, missing } = await bench.readPartly(wallet)
  expect(numbersOf(positions)).toEqual([cdp])
  expect(missing).toEqual([`Error: CDP ${odd} could not be read`])
})

it('reports that others opened more CDPs than are read, and reads the wallet’s own first ones', async () => {
  const wallet = random.address()
  const proxy = await actions.buildProxy(wallet)
  const { cdp } = await openCdp(wallet, proxy, 'ETH-A')
  const outsider = random.address()
  for (let i = 0; i < MOST_CDPS; i += 1) await actions.open(proxy, 'ETH-A', outsider)
  const { positions, missing } = await bench.readPartly(wallet)
  expect(numbersOf(positions)).toEqual([cdp])
  expect(missing).toEqual(['Error: the wallet has more CDPs than are read'])
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)
