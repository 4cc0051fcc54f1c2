import { addresses, deployMaker, type Maker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
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

const vatAbi = parseAbi([
  'function urns(bytes32 ilk, address urn) view returns (uint256 ink, uint256 art)',
  'function ilks(bytes32 ilk) view returns (uint256 Art, uint256 rate, uint256 spot, uint256 line, uint256 dust)',
  'function dai(address owner) view returns (uint256)',
  'function frob(bytes32 i, address u, address v, address w, int256 dink, int256 dart)',
])
const jugAbi = parseAbi(['function drip(bytes32 ilk) returns (uint256)', 'function file(bytes32 what, uint256 data)'])
const joinAbi = parseAbi(['function join(address usr, uint256 amount)'])
const managerAbi = parseAbi(['function give(uint256 cdp, address dst)'])
const savingsAbi = parseAbi(['function join(address dst, uint256 wad)', 'function exitAll(address dst)'])
const proxyAbi = parseAbi(['function setOwner(address owner)'])

const rows: ProtocolRow[] = []
const random = seededRandom('maker')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let maker: Maker
let actions: ReturnType<typeof makerActions>

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  maker = await deployMaker(bench.chain, KINDS)
  actions = makerActions(bench.chain, maker)
  const { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai } = maker
  rows.push({
    ...{ family: 'maker', key: 'maker', name: 'Maker', chain: 'ethereum' },
    deployment: { vat, jug, pot, dsrManager, cdpManager, ilkRegistry, proxyFactory, dai },
  })
})
afterAll(() => bench?.stop())

const balanceOf = (token: Address, wallet: Address) => bench.chain.actions.erc20.balanceOf(token, wallet)
const drip = (kind: Kind) =>
  bench.chain.write({
    ...{ from: random.address(), address: maker.jug, abi: jugAbi, functionName: 'drip', args: [makerIlk(kind)] },
  })

/** A CDP of the wallet's proxy with collateral, and a debt of a tenth to nine tenths of its limit. */
async function openCdp(wallet: Address, proxy: Address, kind: Kind) {
  const { token, spot, scale } = KINDS[kind]
  const cdp = await actions.open(proxy, kind)
  const amount = random.amount(WAD / scale, (100n * WAD) / scale)
  const most = (amount * scale * spot) / RAY
  await bench.chain.actions.erc20.mint(token, wallet, amount)
  await bench.chain.actions.erc20.allow(token, wallet, proxy)
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
    await bench.chain.travel(1 + random.index(300 * DAY_SECONDS))
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
      ...{ borrowed: [{ token: evmAddress(maker.dai), amountRaw: owed }] },
    })
    const before = (await balanceOf(maker.dai, wallet)) + owed
    await atTheTimeOfTheRead(async () => {
      await actions.giveDai(wallet, owed)
      await bench.chain.actions.erc20.allow(maker.dai, wallet, proxy)
      await drip(kind)
      // The liquidation threshold is the Vat's own comparison: ink × spot against art × rate.
      const at = { address: maker.vat, abi: vatAbi } as const
      const urn = [makerIlk(kind), await actions.urnOf(cdp)] as const
      const [ink, art] = await bench.client.readContract({ ...at, functionName: 'urns', args: urn })
      const [, rate] = await bench.client.readContract({ ...at, functionName: 'ilks', args: [urn[0]] })
      expect(ink).toBe(amount * scale)
      expect(position?.healthFactorRaw).toBe((ink * spot * WAD) / (art * rate))
      await actions.act(wallet, proxy, 'wipeAllAndFreeGem', [actions.named(kind), cdp, amount])
    })
    expect(before - (await balanceOf(maker.dai, wallet))).toBe(owed)
    expect(await balanceOf(token, wallet)).toBe(amount)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('all of what a wallet has, by several proxies, by itself, and given to it', async () => {
  const [wallet, other] = [random.address(), random.address()]
  const proxies = [await actions.buildProxy(wallet), await actions.buildProxy(wallet, other)] as const
  const [first, second] = [await openCdp(wallet, proxies[0], 'ETH-A'), await openCdp(wallet, proxies[1], 'USDC-A')]
  const otherProxy = await actions.buildProxy(other)
  const given = await openCdp(other, otherProxy, 'ETH-A')
  await actions.act(other, otherProxy, 'give', [maker.cdpManager, given.cdp, wallet])
  const { positions, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  expect(numbersOf(positions)).toEqual([given.cdp, first.cdp, second.cdp])
  expect(numbered(positions, given.cdp)?.supplied).toMatchObject([{ amountRaw: given.amount }])
  expect((await bench.read(other)).positions).toEqual([])
  // After a transfer, only the new owner has it.
  const call = { from: wallet, address: maker.cdpManager, abi: managerAbi, functionName: 'give' } as const
  await bench.chain.write({ ...call, args: [given.cdp, other] })
  expect(numbered((await bench.read(wallet)).positions, given.cdp)).toBeUndefined()
  expect(numbersOf((await bench.read(other)).positions)).toEqual([given.cdp])
})

it('an urn that is the wallet itself', async () => {
  const wallet = random.address()
  const ilk = makerIlk('ETH-A')
  const { erc20 } = bench.chain.actions
  await erc20.mint(tokens.weth, wallet, 3n * WAD)
  const join = maker.joins['ETH-A'] ?? maker.vat
  await erc20.allow(tokens.weth, wallet, join)
  await bench.chain.write({ from: wallet, address: join, abi: joinAbi, functionName: 'join', args: [wallet, 3n * WAD] })
  const frob = { from: wallet, address: maker.vat, abi: vatAbi, functionName: 'frob' } as const
  await bench.chain.write({ ...frob, args: [ilk, wallet, wallet, wallet, 2n * WAD, 1_000n * WAD] })
  const { positions } = await bench.read(wallet)
  await atTheTimeOfTheRead(() => drip('ETH-A'))
  const vat = { address: maker.vat, abi: vatAbi } as const
  const [, rate] = await bench.client.readContract({ ...vat, functionName: 'ilks', args: [ilk] })
  const loose = await bench.client.readContract({ ...vat, functionName: 'dai', args: [wallet] })
  expect(positions).toMatchObject([
    // Two locked and one unlocked.
    { pool: evmAddress(wallet), tokenId: BigInt(ilk), supplied: [{ amountRaw: 3n * WAD }] },
    { pool: evmAddress(maker.vat), label: 'DAI in the Vat', supplied: [{ amountRaw: loose / RAY }] },
  ])
  // Rounded up: the rate has 27 digits.
  const rad = 1_000n * WAD * rate
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
  await bench.chain.actions.erc20.allow(maker.dai, stranger, maker.daiJoin)
  const before = owedIn(numbered((await bench.read(wallet)).positions, cdp))
  await atTheTimeOfTheRead(() =>
    bench.chain.write({
      ...{ from: stranger, address: maker.daiJoin, abi: joinAbi },
      functionName: 'join',
      args: [urn, gift],
    }),
  )
  const { positions } = await bench.read(wallet)
  expect(owedIn(numbered(positions, cdp))).toBe(before - gift)
  const left = random.amount(1n, amount - 1n)
  await actions.liquidate('ETH-A', urn, left)
  const after = numbered((await bench.read(wallet)).positions, cdp)
  expect(after).toMatchObject({ supplied: [{ amountRaw: left }], borrowed: [] })
  expect(after?.healthFactorRaw).toBeUndefined()
  await actions.act(wallet, proxy, 'exitGem', [actions.named('ETH-A'), cdp, left])
  expect(await balanceOf(tokens.weth, wallet)).toBe(left)
})

it('savings of a proxy and by the manager, as what taking all of them pays', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const proxy = await actions.buildProxy(wallet)
    const { erc20 } = bench.chain.actions
    const [byProxy, managed] = [random.amount(WAD, 10n ** 24n), random.amount(WAD, 10n ** 24n)]
    await actions.giveDai(wallet, byProxy + managed)
    for (const spender of [proxy, maker.dsrManager]) await erc20.allow(maker.dai, wallet, spender)
    await actions.act(wallet, proxy, 'save', [maker.daiJoin, maker.pot, byProxy])
    const call = { from: wallet, address: maker.dsrManager, abi: savingsAbi } as const
    await bench.chain.write({ ...call, functionName: 'join', args: [wallet, managed] })
    await bench.chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const at = (pool: Address) => positions.find((position) => position.pool === evmAddress(pool))
    await atTheTimeOfTheRead(async () => {
      await actions.act(wallet, proxy, 'unsaveAll', [maker.daiJoin, maker.pot])
      const paid = await balanceOf(maker.dai, wallet)
      expect(amountsOf(at(proxy)?.supplied ?? [])).toEqual(expectedAmounts([maker.dai, paid]))
      await bench.chain.write({ ...call, functionName: 'exitAll', args: [wallet] })
      const more = (await balanceOf(maker.dai, wallet)) - paid
      expect(amountsOf(at(maker.dsrManager)?.supplied ?? [])).toEqual(expectedAmounts([maker.dai, more]))
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
  await bench.chain.write({ from: wallet, address: proxy, abi: proxyAbi, functionName: 'setOwner', args: [other] })
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
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  expect(numbersOf(positions)).toEqual([cdp])
  expect(missing.map(String)).toEqual([`Error: CDP ${odd} could not be read`])
})

it('reports that others opened more CDPs than are read, and reads the wallet’s own first ones', async () => {
  const wallet = random.address()
  const proxy = await actions.buildProxy(wallet)
  const { cdp } = await openCdp(wallet, proxy, 'ETH-A')
  const stranger = random.address()
  for (let i = 0; i < MOST_CDPS; i += 1) await actions.open(proxy, 'ETH-A', stranger)
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  expect(numbersOf(positions)).toEqual([cdp])
  expect(missing.map(String)).toEqual(['Error: the wallet has more CDPs than are read'])
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
