import {
  addFluidDex,
  addFluidSmartToken,
  addFluidToken,
  addFluidVault,
  addresses,
  deployFluid,
  FLUID_COIN,
  type Fluid,
  fundFluid,
  setFluidPrice,
} from '@coffer/devnet'
import { type Address, erc20Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, weth, dai, wbtc } = addresses.ethereum.tokens
/** Withdraws or repays everything. */
const ALL = -(2n ** 255n)
const MANY = 2n ** 127n
const COINS = parseEther('1000000')
/** USDC for ether: 3,000 × 10^6 for 10^18, 27 decimals. */
const PRICE = 3_000n * 10n ** 15n

const plainAbi = parseAbi([
  'function operate(uint256 nftId, int256 newCol, int256 newDebt, address to) payable returns (uint256 id, int256 col, int256 debt)',
  'function liquidate(uint256 debtAmt, uint256 colPerUnitDebt, address to, bool absorb) payable returns (uint256 debt, uint256 col)',
  'function setPrices(uint256 supply, uint256 borrow)',
])
/** Vaults with one side of shares, and with two. */
const halfAbi = parseAbi([
  'function operatePerfect(uint256 nftId, int256 first, int256 second, int256 third, int256 fourth, address to) payable returns (uint256 id, int256[] r)',
])
const fullAbi = parseAbi([
  'function operatePerfect(uint256 nftId, int256 col, int256 col0, int256 col1, int256 debt, int256 debt0, int256 debt1, address to) payable returns (uint256 id, int256[] r)',
])
const factoryAbi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function transferFrom(address from, address to, uint256 id)',
])
const liquidityAbi = parseAbi(['function setPrices(address token, uint256 supply, uint256 borrow)'])
const dexAbi = parseAbi([
  'function swapIn(bool swap0to1, uint256 amountIn, uint256 least, address to) payable returns (uint256)',
  'function readFromStorage(bytes32 slot) view returns (uint256)',
])
const lentAbi = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256)',
])
const smartAbi = parseAbi([
  'function depositPerfect(uint256 shares, uint256 max0, uint256 max1, address to) payable returns (uint256, uint256, uint256)',
  'function withdrawPerfect(uint256 shares, uint256 min0, uint256 min1, address to) returns (uint256, uint256, uint256)',
  'function setPrice(uint256 price)',
])

type Vault = { vaultId: bigint; vault: Address; oracle: Address }

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let at: Fluid
let coinDex: Address
let stableDex: Address
let lent: Address
let smart: Address
let old: Vault
let plain: Vault
let smartCol: Vault
let smartDebt: Vault
let smartBoth: Vault

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  at = await deployFluid(chain)
  const row = { family: 'fluid', key: 'fluid', name: 'Fluid', chain: 'ethereum' }
  rows.push({ ...row, deployment: { ...at } })
  await fundFluid(chain, at, [
    [usdc, parseUnits('100000000', 6)],
    [dai, parseEther('100000000')],
    [FLUID_COIN, COINS],
  ])
  coinDex = await addFluidDex(chain, at, [
    { token: usdc, decimals: 6n, collateral: parseUnits('3000000', 6), debt: parseUnits('600000', 6) },
    { token: FLUID_COIN, decimals: 18n, collateral: parseEther('1000'), debt: parseEther('200') },
  ])
  stableDex = await addFluidDex(chain, at, [
    { token: usdc, decimals: 6n, collateral: parseUnits('2000000', 6), debt: parseUnits('700000', 6) },
    { token: dai, decimals: 18n, collateral: parseEther('1900000'), debt: parseEther('710000') },
  ])
  lent = await addFluidToken(chain, at, usdc)
  smart = await addFluidSmartToken(chain, at, coinDex)
  old = await addFluidVault(chain, at, { supply: { token: weth }, borrow: { token: usdc }, isOld: true })
  plain = await addFluidVault(chain, at, { supply: { token: FLUID_COIN }, borrow: { token: usdc } })
  smartCol = await addFluidVault(chain, at, { supply: { dex: coinDex }, borrow: { token: usdc } })
  smartDebt = await addFluidVault(chain, at, { supply: { token: wbtc }, borrow: { dex: stableDex } })
  smartBoth = await addFluidVault(chain, at, { supply: { dex: coinDex }, borrow: { dex: coinDex } })
  await bench.discover()
  await setPrices()
  // A vault owes its pool slightly less than its positions owe the vault: the last position cannot be closed.
  const keeper = await newWallet(seededRandom('fluid keeper'))
  await openShares(keeper, smartCol, { col: 10n ** 18n, debt: 10n ** 8n })
  await openShares(keeper, smartDebt, { col: 10n ** 8n, debt: 10n ** 18n })
  await openShares(keeper, smartBoth, { col: 10n ** 18n, debt: 10n ** 17n })
})
afterAll(() => bench?.stop())

beforeEach(() => setPrices())

/** Debt for collateral at each vault. A pool share is worth a thousandth. */
async function setPrices(): Promise<void> {
  await setFluidPrice(bench.chain, old.oracle, PRICE)
  await setFluidPrice(bench.chain, plain.oracle, PRICE)
  await setFluidPrice(bench.chain, smartCol.oracle, 6_000n * 10n ** 15n)
  await setFluidPrice(bench.chain, smartDebt.oracle, 43n * 10n ** 36n)
  await setFluidPrice(bench.chain, smartBoth.oracle, 5n * 10n ** 27n)
}

/** A wallet with ample balances, approved for all vaults. */
async function newWallet(random: Random): Promise<Address> {
  const wallet = random.address()
  const { erc20, native } = bench.chain.actions
  await native.give(wallet, COINS)
  for (const [token, amount] of [
    [usdc, parseUnits('50000000', 6)],
    [dai, parseEther('90000000')],
    [weth, parseEther('5000')],
    [wbtc, parseUnits('500', 8)],
  ] as const) {
    await erc20.mint(token, wallet, amount)
    const spenders = [
      lent,
      smart,
      coinDex,
      stableDex,
      ...[old, plain, smartCol, smartDebt, smartBoth].map((v) => v.vault),
    ]
    for (const spender of spenders) await erc20.allow(token, wallet, spender)
  }
  return wallet
}

type Amounts = { col: bigint; debt?: bigint; id?: bigint }

const operateAt = (wallet: Address, { vault }: Vault, { id = 0n, col, debt = 0n }: Amounts, value?: bigint) => ({
  ...({ address: vault, abi: plainAbi, functionName: 'operate', args: [id, col, debt, wallet] } as const),
  ...(value !== undefined && { value }),
})

async function lastId(): Promise<bigint> {
  return bench.client.readContract({ address: at.vaultFactory, abi: factoryAbi, functionName: 'totalSupply' })
}

/** Collateral and debt of a vault without shares. */
async function open(wallet: Address, vault: Vault, amounts: Amounts): Promise<bigint> {
  const isCoin = vault === plain
  await bench.chain.write({ from: wallet, ...operateAt(wallet, vault, amounts, isCoin ? amounts.col : undefined) })
  return lastId()
}

/** Shares, 18 decimals, where the vault has shares. */
async function openShares(wallet: Address, vault: Vault, { id = 0n, col, debt = 0n }: Amounts): Promise<bigint> {
  const least = debt > 0n ? 1n : 0n
  const coin = parseEther('10000')
  const call = { from: wallet, address: vault.vault } as const
  if (vault === smartCol) {
    const args = [id, col, MANY, coin, debt, wallet] as const
    await bench.chain.write({ ...call, abi: halfAbi, functionName: 'operatePerfect', args, value: coin })
  } else if (vault === smartDebt) {
    const args = [id, col, debt, least, least, wallet] as const
    await bench.chain.write({ ...call, abi: halfAbi, functionName: 'operatePerfect', args })
  } else {
    const args = [id, col, MANY, coin, debt, least, least, wallet] as const
    await bench.chain.write({ ...call, abi: fullAbi, functionName: 'operatePerfect', args, value: coin })
  }
  return lastId()
}

/** Positions of all types, with and without debt. */
async function openSome(random: Random, wallet: Address): Promise<(readonly [Vault, bigint])[]> {
  const found: (readonly [Vault, bigint])[] = []
  const ether = () => random.amount(parseEther('0.01'), parseEther('30'))
  for (const vault of [old, plain]) {
    const col = ether()
    const most = (col * PRICE * 8n) / 10n ** 28n
    found.push([vault, await open(wallet, vault, { col, debt: random.amount(10n ** 5n, most) })])
    found.push([vault, await open(wallet, vault, { col: ether() })])
  }
  const shares = () => random.amount(10n ** 13n, parseEther('20'))
  const col = shares()
  found.push([smartCol, await openShares(wallet, smartCol, { col, debt: random.amount(10n ** 4n, col / 10n ** 9n) })])
  const bitcoin = random.amount(10n ** 5n, 10n ** 9n)
  const debt = random.amount(10n ** 13n, bitcoin * 10n ** 10n)
  found.push([smartDebt, await openShares(wallet, smartDebt, { col: bitcoin, debt })])
  const both = shares()
  found.push([smartBoth, await openShares(wallet, smartBoth, { col: both, debt: both / 2n + 10n ** 12n })])
  return found
}

type Closing = { supplied: Record<string, bigint>; borrowed: Record<string, bigint> }

/** Payouts and payments of closing everything at the block. */
async function closing(
  wallet: Address,
  vault: Vault,
  id: bigint,
  hasDebt: boolean,
  blockNumber: bigint,
): Promise<Closing> {
  const debt = hasDebt ? ALL : 0n
  const limit = hasDebt ? -parseEther('50000') : 0n
  const at = { address: vault.vault, account: wallet, blockNumber } as const
  if (vault === old || vault === plain) {
    const call = { ...at, abi: plainAbi, functionName: 'operate', args: [id, ALL, debt, wallet] } as const
    const [, col, owed] = (await bench.client.simulateContract(call)).result
    return sides([[vault === old ? weth : NATIVE, col]], [[usdc, owed]])
  }
  if (vault === smartCol) {
    const call = { ...at, abi: halfAbi, functionName: 'operatePerfect' } as const
    const args = [id, ALL, -1n, -1n, debt, wallet] as const
    const [, [, col0 = 0n, col1 = 0n, owed = 0n]] = (await bench.client.simulateContract({ ...call, args })).result
    return sides(
      [
        [usdc, col0],
        [NATIVE, col1],
      ],
      [[usdc, owed]],
    )
  }
  if (vault === smartDebt) {
    const most = hasDebt ? -parseEther('40000000') : 0n
    const call = { ...at, abi: halfAbi, functionName: 'operatePerfect' } as const
    const args = [id, ALL, debt, most, most, wallet] as const
    const [, [col = 0n, , , , debt0 = 0n, debt1 = 0n]] = (await bench.client.simulateContract({ ...call, args })).result
    return sides(
      [[wbtc, col]],
      [
        [usdc, debt0],
        [dai, debt1],
      ],
    )
  }
  const args = [id, ALL, -1n, -1n, debt, limit, limit, wallet] as const
  const call = { ...at, abi: fullAbi, functionName: 'operatePerfect', args, value: -limit } as const
  const [, [, col0 = 0n, col1 = 0n, , debt0 = 0n, debt1 = 0n]] = (await bench.client.simulateContract(call)).result
  return sides(
    [
      [usdc, col0],
      [NATIVE, col1],
    ],
    [
      [usdc, debt0],
      [NATIVE, debt1],
    ],
  )
}

type Signed = readonly (readonly [Address, bigint])[]

function sides(supplied: Signed, borrowed: Signed): Closing {
  const positive = (amounts: Signed) => expectedAmounts(...amounts.map(([token, amount]) => [token, -amount] as const))
  return { supplied: positive(supplied), borrowed: positive(borrowed) }
}

const sidesOf = (position: Position | undefined): Closing => ({
  supplied: amountsOf(position?.supplied ?? []),
  borrowed: amountsOf(position?.borrowed ?? []),
})

/** Compares a position with closing it at the same block. */
async function check(wallet: Address, vault: Vault, id: bigint): Promise<Position | undefined> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ tokenId }) => tokenId === id)
  const hasDebt = (position?.borrowed.length ?? 0) > 0
  expect(sidesOf(position)).toEqual(await closing(wallet, vault, id, hasDebt, block))
  return position
}

/** Interest, and trades that change the value of a share. */
async function passTime(random: Random, trader: Address, price: { now: bigint }): Promise<void> {
  price.now += random.amount(10n ** 8n, 10n ** 11n)
  const from = random.address()
  for (const token of [usdc, dai, weth, wbtc, FLUID_COIN]) {
    const args = [token, price.now, price.now + random.amount(1n, 10n ** 10n)] as const
    await bench.chain.write({ from, address: at.liquidity, abi: liquidityAbi, functionName: 'setPrices', args })
  }
  for (const { vault } of [smartCol, smartDebt, smartBoth]) {
    const args = [10n ** 12n - random.amount(1n, 10n ** 10n), 10n ** 12n - random.amount(1n, 10n ** 10n)] as const
    await bench.chain.write({ from, address: vault, abi: plainAbi, functionName: 'setPrices', args })
  }
  const isFirst = random.index(2) === 0
  const sold = isFirst ? random.amount(10n ** 6n, parseUnits('90000', 6)) : random.amount(10n ** 9n, parseEther('30'))
  const swap = { from: trader, address: coinDex, abi: dexAbi, functionName: 'swapIn' } as const
  await bench.chain.write({ ...swap, args: [isFirst, sold, 0n, trader], ...(!isFirst && { value: sold }) })
}

describe('a position in a vault', () => {
  it('pays what closing it pays, to the unit, of all types', async () => {
    const random = seededRandom('fluid')
    const trader = await newWallet(random)
    const price = { now: 10n ** 12n }
    for (let round = 0; round < 3; round += 1) {
      const wallet = await newWallet(random)
      const owned = await openSome(random, wallet)
      await passTime(random, trader, price)
      for (const [vault, id] of owned) {
        expect(await check(wallet, vault, id)).toMatchObject({
          ...{ kind: 'lending', protocol: 'fluid', label: `Vault ${vault.vaultId}` },
          ...{ pool: evmAddress(at.vaultFactory), receipts: [evmAddress(at.vaultFactory)] },
        })
      }
      // Adding collateral and debt moves the position to another tick.
      for (const [vault, id] of owned.filter(([one]) => one === old || one === plain)) {
        await open(wallet, vault, {
          id,
          col: random.amount(10n ** 15n, parseEther('3')),
          debt: random.amount(10n ** 5n, 10n ** 6n),
        })
      }
      await passTime(random, trader, price)
      for (const [vault, id] of owned) await check(wallet, vault, id)
    }
  })

  it('is what a liquidation left of it, also after others came to its tick, and nothing once it was absorbed', async () => {
    const random = seededRandom('fluid liquidation')
    const [wallet, other, liquidator] = [await newWallet(random), await newWallet(random), await newWallet(random)]
    const amounts = { col: parseEther('10'), debt: parseUnits('26000', 6) }
    const id = await open(wallet, old, amounts)
    const before = await check(wallet, old, id)
    await setFluidPrice(bench.chain, old.oracle, 2_800n * 10n ** 15n)
    const liquidate = { from: liquidator, address: old.vault, abi: plainAbi, functionName: 'liquidate' } as const
    await bench.chain.write({ ...liquidate, args: [parseUnits('4000', 6), 0n, liquidator, false] })
    const after = await check(wallet, old, id)
    // 4,000 of 26,000 USDC are gone, with collateral for them at 2,800 and a penalty of a hundredth.
    const [debt = 0n, col = 0n] = [after?.borrowed[0]?.amountRaw, after?.supplied[0]?.amountRaw]
    expect(debt).toBeLessThan(parseUnits('22000', 6))
    expect(debt).toBeGreaterThan(parseUnits('21990', 6))
    expect(col).toBeLessThan(parseEther('8.56'))
    expect(col).toBeGreaterThan(parseEther('8.55'))
    expect(before?.healthFactorRaw).toBeGreaterThan(10n ** 18n)
    const second = await open(other, old, amounts)
    await check(other, old, second)
    expect(sidesOf(await check(wallet, old, id))).toEqual(sidesOf(after))
    await setFluidPrice(bench.chain, old.oracle, 2_000n * 10n ** 15n)
    await bench.chain.write({ ...liquidate, args: [parseUnits('4000', 6), 0n, liquidator, true] })
    expect((await bench.read(other)).positions).toEqual([])
    expect(sidesOf(await check(wallet, old, id))).toEqual(sidesOf(after))
  })

  it('has the health by which its vault liquidates, and none without a price', async () => {
    const random = seededRandom('fluid health')
    const wallet = await newWallet(random)
    const price = { supply: 10n ** 12n, borrow: 10n ** 12n }
    for (const token of [weth, FLUID_COIN, usdc]) {
      const args = [token, price.supply, price.borrow] as const
      await bench.chain.write({
        from: wallet,
        address: at.liquidity,
        abi: liquidityAbi,
        functionName: 'setPrices',
        args,
      })
    }
    const ids = [
      await open(wallet, old, { col: parseEther('7'), debt: parseUnits('13000', 6) }),
      await open(wallet, plain, { col: parseEther('11'), debt: parseUnits('9000', 6) }),
    ]
    const { positions } = await bench.read(wallet)
    const healths = ids.map((id) => positions.find(({ tokenId }) => tokenId === id)?.healthFactorRaw ?? 0n)
    // Debt is rounded up to the next power of 1.0015. At most nine tenths of the collateral's worth may be owed.
    expect(healths.map(significant)).toEqual([
      significant(healthAt({ col: parseEther('7'), debt: parseUnits('13000', 6) })),
      significant(healthAt({ col: parseEther('11'), debt: parseUnits('9000', 6) })),
    ])
    const debts = positions.map(sidesOf)
    for (const nothing of [0n, 2n ** 256n - 1n]) {
      await setFluidPrice(bench.chain, old.oracle, nothing)
      const { positions: without } = await bench.read(wallet)
      expect(without.map(({ healthFactorRaw }) => healthFactorRaw)).toEqual([undefined, healths[1]])
      expect(without.map(sidesOf)).toEqual(debts)
    }
  })

  it('counts by proportion where a pool would not take so many shares at once, or so few', async () => {
    const random = seededRandom('fluid bounds')
    const wallet = await newWallet(random)
    const dex = await addFluidDex(bench.chain, at, [
      { token: usdc, decimals: 6n, collateral: parseUnits('2000', 6), debt: 10n ** 6n },
      { token: dai, decimals: 18n, collateral: parseEther('3000'), debt: 10n ** 18n },
    ])
    const vault = await addFluidVault(bench.chain, at, { supply: { dex }, borrow: { token: usdc } })
    for (const token of [usdc, dai]) await bench.chain.actions.erc20.allow(token, wallet, vault.vault)
    const call = { from: wallet, address: vault.vault, abi: halfAbi, functionName: 'operatePerfect' } as const
    // 19,000 times the thousand shares of the pool, and a hundred-billionth of the sum.
    const shares = [19_000_000n * 10n ** 18n, 190_000_000_000_000n + 1n] as const
    for (const col of shares) {
      await bench.chain.write({ ...call, args: [0n, col, MANY, MANY, 0n, wallet] })
    }
    const id = await lastId()
    const { positions } = await bench.read(wallet)
    const [first, second] = [id - 1n, id].map(
      (one) => sidesOf(positions.find(({ tokenId }) => tokenId === one)).supplied,
    )
    // 2,000 USDC and 3,000 DAI stand for a thousand shares. The pool rounds either by units of 6 and of 12 decimals.
    const expected = [
      { [usdc]: parseUnits('38000000', 6), [dai]: parseEther('57000000'), within: 19_000n * 2_000_000n },
      { [usdc]: 380n, [dai]: parseEther('0.00057'), within: 2_000_000n },
    ]
    for (const [i, sum] of [first, second].entries()) {
      expect(distance(sum?.[evmAddress(usdc)], expected[i]?.[usdc])).toBeLessThanOrEqual(2n)
      expect(distance(sum?.[evmAddress(dai)], expected[i]?.[dai])).toBeLessThanOrEqual(expected[i]?.within ?? 0n)
    }
  })

  it('is reported and leaves the others standing where its vault cannot be read', async () => {
    const random = seededRandom('fluid refused')
    const wallet = await newWallet(random)
    const dex = await addFluidDex(bench.chain, at, [
      { token: usdc, decimals: 6n, collateral: parseUnits('2000', 6), debt: 10n ** 6n },
      { token: dai, decimals: 18n, collateral: parseEther('3000'), debt: 10n ** 18n },
    ])
    const vault = await addFluidVault(bench.chain, at, { supply: { dex }, borrow: { token: usdc } })
    for (const token of [usdc, dai]) await bench.chain.actions.erc20.allow(token, wallet, vault.vault)
    const call = { from: wallet, address: vault.vault, abi: halfAbi, functionName: 'operatePerfect' } as const
    await bench.chain.write({ ...call, args: [0n, 10n ** 18n, MANY, MANY, 0n, wallet] })
    const broken = await lastId()
    const id = await open(wallet, old, { col: parseEther('1') })
    await bench.client.setCode({ address: dex, bytecode: '0x00' })
    const reasons: unknown[] = []
    const { positions } = await bench.read(wallet, { leftOut: (why) => reasons.push(why) })
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([id])
    expect(reasons).toEqual([new Error(`position ${broken} of ${evmAddress(at.vaultFactory)} refused to be read`)])
  })

  it('is shown to its owner alone, over many pages, and no more once it is closed', async () => {
    const random = seededRandom('fluid owners')
    const [wallet, other] = [await newWallet(random), random.address()]
    const ids: bigint[] = []
    for (let i = 0; i < 10; i += 1) ids.push(await open(wallet, old, { col: parseEther('1') + BigInt(i) }))
    const transfer = { from: wallet, address: at.vaultFactory, abi: factoryAbi, functionName: 'transferFrom' } as const
    await bench.chain.write({ ...transfer, args: [wallet, other, ids[0] ?? 0n] })
    await bench.chain.write({ from: wallet, ...operateAt(wallet, old, { id: ids[1] ?? 0n, col: ALL }) })
    const idsOf = async (owner: Address) =>
      (await bench.read(owner)).positions.map(({ tokenId = 0n }) => tokenId).toSorted((a, b) => Number(a - b))
    expect(await idsOf(wallet)).toEqual(ids.slice(2))
    expect(await idsOf(other)).toEqual(ids.slice(0, 1))
  })
})

/** 1.0015 to the first power above debt ÷ collateral, against nine tenths of the price; base units. */
function healthAt({ col, debt }: { col: bigint; debt: bigint }): bigint {
  const scale = 10n ** 60n
  // The vault adds a unit to a debt on borrowing, and a billionth and a unit on storing it.
  const stored = ((debt + 1n) * 1_000_000_001n) / 1_000_000_000n + 1n
  const ratio = (stored * scale) / col
  let tick = scale
  while (tick > ratio) tick = (tick * 10_000n) / 10_015n
  const above = (tick * 10_015n) / 10_000n
  return (PRICE * 9n * scale * 10n ** 18n) / (10n * 10n ** 27n * above)
}

function distance(one = 0n, other = 0n): bigint {
  return one > other ? one - other : other - one
}

/** Ten digits: rounding of ticks is below them. */
const significant = (raw: bigint): bigint => raw / 10n ** 8n

describe('tokens of lenders and of smart lending', () => {
  it('are worth what giving all of them back pays', async () => {
    const random = seededRandom('fluid tokens')
    const trader = await newWallet(random)
    const price = { now: 10n ** 12n }
    for (let round = 0; round < 3; round += 1) {
      const wallet = await newWallet(random)
      const assets = random.amount(10n ** 3n, parseUnits('90000', 6))
      await bench.chain.write({
        from: wallet,
        address: lent,
        abi: lentAbi,
        functionName: 'deposit',
        args: [assets, wallet],
      })
      const shares = random.amount(10n ** 13n, parseEther('30'))
      const value = parseEther('1000')
      const put = { from: wallet, address: smart, abi: smartAbi, functionName: 'depositPerfect', value } as const
      await bench.chain.write({ ...put, args: [shares, MANY, value, wallet] })
      await passTime(random, trader, price)
      const set = { from: trader, address: smart, abi: smartAbi, functionName: 'setPrice' } as const
      await bench.chain.write({ ...set, args: [10n ** 18n - random.amount(1n, 10n ** 16n)] })
      const { positions, block, batches } = await bench.read(wallet)
      expect(batches).toBe(2)
      const own = { account: wallet, blockNumber: block } as const
      const balance = await bench.client.readContract({
        ...{ address: lent, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber: block },
      } as const)
      const redeem = { address: lent, abi: lentAbi, functionName: 'redeem', args: [balance, wallet, wallet] } as const
      const { result: paid } = await bench.client.simulateContract({ ...own, ...redeem })
      const withdraw = { address: smart, abi: smartAbi, functionName: 'withdrawPerfect' } as const
      const all = [2n ** 256n - 1n, 1n, 1n, wallet] as const
      const { result } = await bench.client.simulateContract({ ...own, ...withdraw, args: all })
      const ofPool = (pool: Address) => positions.find((position) => position.pool === evmAddress(pool))
      expect(amountsOf(ofPool(lent)?.supplied ?? [])).toEqual(expectedAmounts([usdc, paid]))
      expect(amountsOf(ofPool(smart)?.supplied ?? [])).toEqual(expectedAmounts([usdc, result[1]], [NATIVE, result[2]]))
      expect(ofPool(lent)).toMatchObject({ kind: 'lending', label: 'Lending', receipts: [evmAddress(lent)] })
    }
  })
})

it('asks a wallet that has nothing there for balances alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
