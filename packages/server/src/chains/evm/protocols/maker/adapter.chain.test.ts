import { addresses, deployMaker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { contractOf, ownAt } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
const { tokens } = addresses.ethereum
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
const bench = await protocolBench(rows)
const { chain } = bench
const { erc20 } = chain.actions
const maker = await deployMaker(chain, KINDS)
const actions = makerActions(chain, maker)
const { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai, daiJoin } = maker
rows.push({
  ...{ family: 'maker', key: 'maker', name: 'Maker', chain: 'ethereum' },
  deployment: { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai },
})
const atVat = ownAt(chain, 'MakerVat', vat)

const drip = (kind: Kind) => ownAt(chain, 'MakerJug', jug).write(random.address(), 'drip', makerIlk(kind))
const rateOf = async (kind: Kind) => (await atVat.read<bigint[]>('ilks', makerIlk(kind)))[1] ?? 0n

/** A CDP of the wallet's proxy with collateral, and a debt of a tenth to nine tenths of its limit. */
async function openCdp(wallet: Address, proxy: Address, kind: Kind) {
  const { token, spot, scale } = KINDS[kind]
  const cdp = await actions.open(proxy, kind)
  const amount = random.amount(WAD / scale, (100n * WAD) / scale)
  const most = (amount * scale * spot) / RAY
  await erc20.mint(token, wallet, amount)
  await erc20.allow(token, wallet, proxy)
  const drawn = random.amount(most / 10n, (most * 9n) / 10n)
  await actions.act(wallet, proxy, 'lockGemAndDraw', [actions.named(kind), cdp, amount, drawn])
  return { cdp, amount, drawn }
}

/** Keeps the read's time: later blocks have its timestamp. */
async function atTheTimeOfTheRead<T>(play: () => Promise<T>): Promise<T> {
  await bench.client.setBlockTimestampInterval({ interval: 0 })
  try {
    return await play()
  } finally {
    await bench.client.removeBlockTimestampInterval()
  }
}

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
  await ownAt(chain, 'MakerCdpManager', cdpManager).write(wallet, 'give', given.cdp, other)
  expect(numbered((await bench.read(wallet)).positions, given.cdp)).toBeUndefined()
  expect(numbersOf((await bench.read(other)).positions)).toEqual([given.cdp])
})

it('an urn that is the wallet itself', async () => {
  const wallet = random.address()
  const ilk = makerIlk('ETH-A')
  await erc20.mint(tokens.weth, wallet, 3n * WAD)
  const join = maker.joins['ETH-A'] ?? vat
  await erc20.allow(tokens.weth, wallet, join)
  await ownAt(chain, 'MakerJoin', join).write(wallet, 'join', wallet, 3n * WAD)
  await atVat.write(wallet, 'frob', ilk, wallet, wallet, wallet, 2n * WAD, 1_000n * WAD)
  const { positions } = await bench.read(wallet)
  await atTheTimeOfTheRead(() => drip('ETH-A'))
  const loose = await atVat.read<bigint>('dai', wallet)
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
  const stranger = random.address()
  await actions.giveDai(stranger, gift)
  await erc20.allow(dai, stranger, daiJoin)
  const before = owedIn(numbered((await bench.read(wallet)).positions, cdp))
  await atTheTimeOfTheRead(() => ownAt(chain, 'MakerDaiJoin', daiJoin).write(stranger, 'join', urn, gift))
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
    const manager = ownAt(chain, 'DsrManager', dsrManager)
    await manager.write(wallet, 'join', wallet, managed)
    await chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const at = (pool: Address) => positions.find((position) => position.pool === evmAddress(pool))
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
  const stranger = random.address()
  for (let i = 0; i < MOST_CDPS; i += 1) await actions.open(proxy, 'ETH-A', stranger)
  const { positions, missing } = await bench.readPartly(wallet)
  expect(numbersOf(positions)).toEqual([cdp])
  expect(missing).toEqual(['Error: the wallet has more CDPs than are read'])
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)
