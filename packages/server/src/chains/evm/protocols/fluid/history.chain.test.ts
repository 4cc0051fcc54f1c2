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
import { type Address, encodeFunctionData, formatEther, formatUnits, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts, shownCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { usdc, weth, wbtc, dai } = addresses.ethereum.tokens
const PROTOCOL = 'fluid_local'
const ALL = -(2n ** 255n)
const MANY = 2n ** 127n
const PRICE = 3_000n * 10n ** 15n

const plainAbi = parseAbi([
  'function operate(uint256 nftId, int256 newCol, int256 newDebt, address to) payable',
  'function liquidate(uint256 debtAmt, uint256 colPerUnitDebt, address to, bool absorb) payable',
])
const halfAbi = parseAbi([
  'function operate(uint256 nftId, int256 new0, int256 new1, int256 least, int256 newDebt, address to) payable',
  'function operatePerfect(uint256 nftId, int256 first, int256 second, int256 third, int256 fourth, address to) payable',
])
const fullAbi = parseAbi([
  'function operatePerfect(uint256 nftId, int256 col, int256 col0, int256 col1, int256 debt, int256 debt0, int256 debt1, address to) payable',
])
const factoryAbi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function transferFrom(address from, address to, uint256 id)',
])
const lentAbi = parseAbi([
  'function deposit(uint256 assets, address receiver)',
  'function redeem(uint256 shares, address receiver, address owner)',
])
const dexAbi = parseAbi(['function swapDebt(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)'])
const liquidityAbi = parseAbi(['function setPrices(address token, uint256 supply, uint256 borrow)'])
const smartAbi = parseAbi([
  'function depositPerfect(uint256 shares, uint256 max0, uint256 max1, address to) payable',
  'function withdrawPerfect(uint256 shares, uint256 min0, uint256 min1, address to)',
])

let bench: HistoryBench
let at: Fluid
let lent: Address
let smart: Address
let dex: Address
let old: Address
let oracle: Address
let plain: Address
let smartCol: Address
let smartDebt: Address
let smartBoth: Address
let nextWallet = 0xf1_d0_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    at = await deployFluid(chain)
    await fundFluid(chain, at, [
      [usdc, parseUnits('1000000', 6)],
      [dai, parseEther('1000000')],
      [FLUID_COIN, parseEther('10000')],
    ])
    dex = await addFluidDex(chain, at, [
      { token: usdc, decimals: 6n, collateral: parseUnits('3000000', 6), debt: parseUnits('600000', 6) },
      { token: FLUID_COIN, decimals: 18n, collateral: parseEther('1000'), debt: parseEther('200') },
    ])
    const stable = await addFluidDex(chain, at, [
      { token: usdc, decimals: 6n, collateral: parseUnits('2000000', 6), debt: parseUnits('700000', 6) },
      { token: dai, decimals: 18n, collateral: parseEther('1900000'), debt: parseEther('710000') },
    ])
    lent = await addFluidToken(chain, at, usdc)
    smart = await addFluidSmartToken(chain, at, dex)
    const ofOld = await addFluidVault(chain, at, { supply: { token: weth }, borrow: { token: usdc }, isOld: true })
    ;({ vault: old, oracle } = ofOld)
    await setFluidPrice(chain, oracle, PRICE)
    plain = (await addFluidVault(chain, at, { supply: { token: FLUID_COIN }, borrow: { token: usdc } })).vault
    smartCol = (await addFluidVault(chain, at, { supply: { dex: stable }, borrow: { token: weth } })).vault
    smartDebt = (await addFluidVault(chain, at, { supply: { token: wbtc }, borrow: { dex } })).vault
    smartBoth = (await addFluidVault(chain, at, { supply: { dex }, borrow: { dex } })).vault
    await chain.actions.erc20.mint(weth, at.liquidity, parseEther('100'))
    const row = { family: 'fluid', key: PROTOCOL, name: 'Fluid', chain: 'ethereum' }
    return { rows: [{ ...row, deployment: { ...at } }] }
  })
})
afterAll(() => bench?.stop())

async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await bench.fund(wallet, parseEther('1000'))
  for (const [token, amount] of [
    [usdc, parseUnits('900000', 6)],
    [dai, parseEther('900000')],
    [weth, parseEther('100')],
    [wbtc, parseUnits('50', 8)],
  ] as const) {
    await erc20.mint(token, wallet, amount)
    for (const spender of [lent, smart, old, plain, smartCol, smartDebt, smartBoth]) {
      await erc20.allow(token, wallet, spender)
    }
  }
  return wallet
}

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

type Amounts = { id?: bigint; col?: bigint; debt?: bigint; value?: bigint }

const operate = (wallet: Address, vault: Address, { id = 0n, col = 0n, debt = 0n, value }: Amounts) =>
  bench.send(
    wallet,
    vault,
    encodeFunctionData({ abi: plainAbi, functionName: 'operate', args: [id, col, debt, wallet] }),
    value,
  )

type Half = readonly [id: bigint, first: bigint, second: bigint, third: bigint, fourth: bigint]

const operateHalf = (wallet: Address, vault: Address, [...args]: Half, value?: bigint) =>
  bench.send(
    wallet,
    vault,
    encodeFunctionData({ abi: halfAbi, functionName: 'operatePerfect', args: [...args, wallet] }),
    value,
  )

const lastId = () =>
  bench.client.readContract({ address: at.vaultFactory, abi: factoryAbi, functionName: 'totalSupply' })

const { summary } = namedHistory(() => ({
  ...{ coin: NATIVE, nft: at.vaultFactory, usdc, dai, weth, wbtc, lent, smart },
}))

/** Coin of a wallet that had a thousand, without gas. */
const coinOf = (found: readonly WalletTransaction[]) =>
  found
    .flatMap(({ movements }) => movements)
    .filter(({ token, treatment }) => token === NATIVE && treatment !== 'fee')
    .reduce((sum, { amountRaw }) => sum + amountRaw, parseEther('1000'))

it('opens, changes and closes a position of two tokens', async () => {
  const wallet = await newOwner()
  const id = (await lastId()) + 1n
  const found = await played(wallet, async () => {
    await operate(wallet, old, { col: parseEther('10'), debt: parseUnits('9000', 6) })
    await operate(wallet, old, { id, col: parseEther('1') })
    await operate(wallet, old, { id, debt: parseUnits('500', 6) })
    await operate(wallet, old, { id, debt: -parseUnits('2000', 6) })
    await operate(wallet, old, { id, col: -parseEther('2') })
    await operate(wallet, old, { id, col: ALL, debt: ALL })
  })
  expect(summary(found)).toEqual([
    ['MULTITYPE', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`, `move +nft ${id}`, 'move -weth'],
    ['DEPOSIT', PROTOCOL, 'move -weth', `move nft ${id}`],
    ['BORROW', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
    ['WITHDRAW', PROTOCOL, 'move +weth', `move nft ${id}`],
    ['MULTITYPE', PROTOCOL, 'move +weth', `move nft ${id}`, 'repay -usdc', `repay nft ${id}`],
  ])
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '900000', paid: '1' },
    weth: { address: weth, price: '2000', had: '100', paid: '1500' },
    nft: { address: at.vaultFactory, price: '0' },
  }
  const { balanceOf } = bench.chain.actions.erc20
  const [ofUsdc, ofWeth] = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  // Each of two repayments closes a part of the debt. The last exceeds the loan by the interest. The vault rounds
  // against the position and leaves its NFT with the cost of the remainder.
  const kept = parseEther('100') - ofWeth
  expect(kept).toBeLessThan(1_000n)
  const interest = parseUnits('900000', 6) - ofUsdc
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(ofUsdc, 6)}`,
      weth: `${formatEther(ofWeth)} at ${formatEther(1_500n * ofWeth)}`,
      nft: `1 at ${formatEther(1_500n * kept)}`,
    },
    ...{ basis: formatUnits(ofUsdc + parseUnits('150000', 6), 6), realised: formatUnits(-interest, 6) },
    ...{ income: '0', disposals: 2, flagged: [] },
  })
})

it('takes the native coin as collateral, and gives it back', async () => {
  const wallet = await newOwner()
  const id = (await lastId()) + 1n
  const value = parseEther('3')
  const found = await played(wallet, async () => {
    await operate(wallet, plain, { col: value, debt: parseUnits('100', 6), value })
    await operate(wallet, plain, { id, debt: ALL })
    await operate(wallet, plain, { id, col: ALL })
  })
  expect(summary(found)).toEqual([
    ['MULTITYPE', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`, `move +nft ${id}`, 'move -coin'],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
    ['WITHDRAW', PROTOCOL, 'move +coin', `move nft ${id}`],
  ])
  const ofUsdc = await bench.chain.actions.erc20.balanceOf(usdc, wallet)
  const ofCoin = coinOf(found)
  const kept = parseEther('1000') - ofCoin
  expect(kept).toBeLessThan(1_000n)
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '900000', paid: '1' },
    coin: { address: NATIVE, price: '2000', had: '1000', paid: '1500' },
    nft: { address: at.vaultFactory, price: '0' },
  }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(ofUsdc, 6)}`,
      coin: `${formatEther(ofCoin)} at ${formatEther(1_500n * ofCoin)}`,
      nft: `1 at ${formatEther(1_500n * kept)}`,
    },
    basis: formatUnits(ofUsdc + parseUnits('1500000', 6), 6),
    realised: formatUnits(ofUsdc - parseUnits('900000', 6), 6),
    ...{ income: '0', disposals: 1, flagged: [] },
  })
})

it('knows the underlying tokens of pool shares, where pools log before and after the vault', async () => {
  const [keeper, wallet] = [await newOwner(), await newOwner()]
  const debts = parseEther('10')
  // A vault owes its pool slightly less than its positions owe the vault: the last position cannot be closed.
  await operateHalf(keeper, smartDebt, [0n, parseUnits('10', 8), 10n ** 17n, 1n, 1n])
  const put = { abi: fullAbi, functionName: 'operatePerfect' } as const
  const openBoth = (owner: Address, debt: bigint) => {
    const args = [0n, parseEther('20'), MANY, parseEther('25'), debt, 1n, 1n, owner] as const
    return bench.send(owner, smartBoth, encodeFunctionData({ ...put, args }), parseEther('30'))
  }
  await openBoth(keeper, 10n ** 17n)
  const first = (await lastId()) + 1n
  const found = await played(wallet, async () => {
    await operateHalf(wallet, smartCol, [0n, parseEther('7'), MANY, MANY, parseEther('1')])
    const deposit = [first, parseUnits('100', 6), 0n, 1n, 0n, wallet] as const
    await bench.send(wallet, smartCol, encodeFunctionData({ abi: halfAbi, functionName: 'operate', args: deposit }))
    await operateHalf(wallet, smartCol, [first, ALL, -1n, -1n, ALL])
    await operateHalf(wallet, smartDebt, [0n, parseUnits('2', 8), parseEther('3'), 1n, 1n])
    await operateHalf(wallet, smartDebt, [first + 1n, ALL, ALL, -parseUnits('100000', 6), -debts], debts)
    await openBoth(wallet, parseEther('5'))
    const close = [first + 2n, ALL, -1n, -1n, ALL, -parseUnits('100000', 6), -debts, wallet] as const
    await bench.send(wallet, smartBoth, encodeFunctionData({ ...put, args: close }), debts)
  })
  const nft = (place: bigint) => `nft ${first + place}`
  const owed = (verb: string, place: bigint) => [`${verb} ${nft(place)}`, `${verb} ${nft(place)}`]
  expect(summary(found)).toEqual([
    ['MULTITYPE', PROTOCOL, 'borrow +weth', `borrow ${nft(0n)}`, `move +${nft(0n)}`, 'move -dai', 'move -usdc'],
    ['DEPOSIT', PROTOCOL, 'move -usdc', `move ${nft(0n)}`],
    ['MULTITYPE', PROTOCOL, 'move +dai', 'move +usdc', `move ${nft(0n)}`, 'repay -weth', `repay ${nft(0n)}`],
    ['MULTITYPE', PROTOCOL, 'borrow +coin', 'borrow +usdc', ...owed('borrow', 1n), `move +${nft(1n)}`, 'move -wbtc'],
    ['MULTITYPE', PROTOCOL, 'move +wbtc', `move ${nft(1n)}`, 'repay -coin', 'repay -usdc', ...owed('repay', 1n)],
    [
      ...['MULTITYPE', PROTOCOL, 'borrow +coin', 'borrow +usdc', ...owed('borrow', 2n)],
      ...[`move +${nft(2n)}`, 'move -coin', 'move -usdc'],
    ],
    [
      ...['MULTITYPE', PROTOCOL, 'move +coin', 'move +usdc', `move ${nft(2n)}`],
      ...['repay -coin', 'repay -usdc', ...owed('repay', 2n)],
    ],
  ])
  const { balanceOf } = bench.chain.actions.erc20
  const [ofUsdc, ofDai] = [await balanceOf(usdc, wallet), await balanceOf(dai, wallet)]
  const [ofWeth, ofWbtc, ofCoin] = [await balanceOf(weth, wallet), await balanceOf(wbtc, wallet), coinOf(found)]
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '900000', paid: '1' },
    dai: { address: dai, price: '1', had: '900000', paid: '1' },
    weth: { address: weth, price: '2000', had: '100', paid: '2000' },
    wbtc: { address: wbtc, decimals: 8, price: '60000', had: '50', paid: '60000' },
    coin: { address: NATIVE, price: '2000', had: '1000', paid: '2000' },
    nft: { address: at.vaultFactory, price: '0' },
  }
  const costs = bookedCosts(bench.book, wallet, quotes, found)
  // All tokens cost their worth. The three NFTs keep the cost that did not come back.
  expect(costs.held).toEqual({
    usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(ofUsdc, 6)}`,
    dai: `${formatEther(ofDai)} at ${formatEther(ofDai)}`,
    weth: `${formatEther(ofWeth)} at ${formatEther(2_000n * ofWeth)}`,
    wbtc: `${formatUnits(ofWbtc, 8)} at ${formatUnits(60_000n * ofWbtc, 8)}`,
    coin: `${formatEther(ofCoin)} at ${formatEther(2_000n * ofCoin)}`,
    nft: expect.stringMatching(/^3 at /),
  })
  // One debt of one asset and two of two were repaid, each slightly above the loan.
  expect(costs).toMatchObject({ income: '0', disposals: 5, flagged: [] })
  expect(costs.realised).toMatch(/^-0\.0000/)
})

it('calls a liquidation by the wallet a trade, and shows nothing of it to the owner', async () => {
  const [wallet, liquidator] = [await newOwner(), await newOwner()]
  await operate(wallet, old, { col: parseEther('10'), debt: parseUnits('26000', 6) })
  await setFluidPrice(bench.chain, oracle, 2_800n * 10n ** 15n)
  const args = [parseUnits('4000', 6), 0n, liquidator, false] as const
  const data = encodeFunctionData({ abi: plainAbi, functionName: 'liquidate', args })
  const before = await bench.client.getBlockNumber()
  await bench.send(liquidator, old, data)
  expect(summary(await bench.readSince(liquidator, before))).toEqual([['SWAP', PROTOCOL, 'swap +weth', 'swap -usdc']])
  expect(await bench.readSince(wallet, before)).toEqual([])
  await setFluidPrice(bench.chain, oracle, PRICE)
})

it('a liquidation is in no history: what it took is in what the position is worth, and named once nothing is left', async () => {
  const [wallet, other, liquidator] = [await newOwner(), await newOwner(), await newOwner()]
  const quotes = {
    weth: { address: weth, price: '2800', had: '10', paid: '1000' },
    usdc: { address: usdc, decimals: 6, price: '1' },
  }
  const owe26000 = (owner: Address) =>
    played(owner, () => operate(owner, old, { col: parseEther('10'), debt: parseUnits('26000', 6) }))
  const liquidate = (absorb: boolean) => {
    const args = [parseUnits('4000', 6), 0n, liquidator, absorb] as const
    return bench.send(liquidator, old, encodeFunctionData({ abi: plainAbi, functionName: 'liquidate', args }))
  }
  const found = await owe26000(wallet)
  await setFluidPrice(bench.chain, oracle, 2_800n * 10n ** 15n)
  await liquidate(false)
  const { positions } = await bench.read(wallet)
  const [collateral = 0n, debt = 0n] = [positions[0]?.supplied[0]?.amountRaw, positions[0]?.borrowed[0]?.amountRaw]
  expect(collateral).toBeLessThan(parseEther('9'))
  // The cost of ten coins, less the borrowed 26,000.
  const open = formatEther(collateral * 2_800n - debt * 10n ** 12n + parseEther('16000'))
  expect(shownCosts(positions, bench.book, wallet, quotes, found)).toEqual({
    positions: [`cost -16000, open ${open}`],
    lacks: [],
  })

  const foundOther = await owe26000(other)
  await setFluidPrice(bench.chain, oracle, 2_000n * 10n ** 15n)
  await liquidate(true)
  const { positions: left } = await bench.read(other)
  expect(shownCosts(left, bench.book, other, quotes, foundOther)).toEqual({
    positions: [],
    lacks: [`balance-differs ${evmAddress(at.vaultFactory)}`],
  })
  expect(await bench.readSince(other, foundOther[0]?.block ?? 0n)).toEqual([])
  await setFluidPrice(bench.chain, oracle, PRICE)
})

it('books nothing for what others do with their positions, and an NFT that changes hands as one', async () => {
  const [wallet, other] = [await newOwner(), await newOwner()]
  const id = (await lastId()) + 1n
  await operate(wallet, old, { col: parseEther('2'), debt: parseUnits('1000', 6) })
  const before = await bench.client.getBlockNumber()
  const args = [wallet, other, id] as const
  await bench.send(wallet, at.vaultFactory, encodeFunctionData({ abi: factoryAbi, functionName: 'transferFrom', args }))
  await operate(other, old, { id, debt: -parseUnits('100', 6) })
  expect(summary(await bench.readSince(wallet, before))).toEqual([['TRANSFEROUT', null, `send -nft ${id}`]])
  expect(summary(await bench.readSince(other, before))).toEqual([
    ['TRANSFERIN', null, `acquire +nft ${id}`],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
  ])
})

it('owes shares of a pool in the proportions of the day, and nothing once they are repaid in others', async () => {
  const [keeper, trader, wallet] = [await newOwner(), await newOwner(), await newOwner()]
  await operateHalf(keeper, smartDebt, [0n, parseUnits('10', 8), 10n ** 17n, 1n, 1n])
  const id = (await lastId()) + 1n
  const found = await played(wallet, async () => {
    await operateHalf(wallet, smartDebt, [0n, parseUnits('2', 8), parseEther('3'), 1n, 1n])
    const args = [true, parseUnits('60000', 6), parseEther('20'), trader] as const
    await bench.chain.actions.erc20.allow(usdc, trader, dex)
    await bench.send(trader, dex, encodeFunctionData({ abi: dexAbi, functionName: 'swapDebt', args }))
    const debts = parseEther('10')
    await operateHalf(wallet, smartDebt, [id, ALL, ALL, -parseUnits('100000', 6), -debts], debts)
  })
  expect(summary(found).map(([type]) => type)).toEqual(['MULTITYPE', 'MULTITYPE'])
  const { balanceOf } = bench.chain.actions.erc20
  const [ofUsdc, ofWbtc, ofCoin] = [await balanceOf(usdc, wallet), await balanceOf(wbtc, wallet), coinOf(found)]
  // Three of some 1,003 shares: they owe less USDC by as much of the 60,000, and more coin by as much of the 20.
  expect(ofUsdc).toBeGreaterThan(parseUnits('900179', 6))
  expect(ofCoin).toBeLessThan(parseEther('999.941'))
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '900000', paid: '1' },
    wbtc: { address: wbtc, decimals: 8, price: '60000', had: '50', paid: '60000' },
    coin: { address: NATIVE, price: '3000', had: '1000', paid: '3000' },
    nft: { address: at.vaultFactory, price: '0' },
  }
  const costs = bookedCosts(bench.book, wallet, quotes, found)
  expect(costs.held).toEqual({
    usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(ofUsdc, 6)}`,
    wbtc: `${formatUnits(ofWbtc, 8)} at ${formatUnits(60_000n * ofWbtc, 8)}`,
    coin: `${formatEther(ofCoin)} at ${formatEther(3_000n * ofCoin)}`,
    nft: expect.stringMatching(/^1 at 0\.000/),
  })
  // The repayment is worth slightly more than the loan.
  const lost = parseEther('900000') - ofUsdc * 10n ** 12n + 3_000n * (parseEther('1000') - ofCoin)
  expect(costs).toMatchObject({ realised: formatEther(-lost), income: '0', disposals: 2, flagged: [] })
  expect(lost).toBeLessThan(parseEther('0.001'))
})

it('lends and withdraws, plainly and in shares of a pool', async () => {
  const wallet = await newOwner()
  const assets = parseUnits('500', 6)
  const setPrice = (price: bigint) => {
    const set = { from: wallet, address: at.liquidity, abi: liquidityAbi, functionName: 'setPrices' } as const
    return bench.chain.write({ ...set, args: [usdc, price, 10n ** 12n] })
  }
  const lending = await played(wallet, async () => {
    const lend = { abi: lentAbi, functionName: 'deposit', args: [assets, wallet] } as const
    await bench.send(wallet, lent, encodeFunctionData(lend))
    await setPrice(102n * 10n ** 10n)
    const redeem = { abi: lentAbi, functionName: 'redeem', args: [assets / 2n, wallet, wallet] } as const
    await bench.send(wallet, lent, encodeFunctionData(redeem))
  })
  await setPrice(10n ** 12n)
  const pooling = await played(wallet, async () => {
    const put = { abi: smartAbi, functionName: 'depositPerfect', args: [parseEther('2'), MANY, MANY, wallet] } as const
    await bench.send(wallet, smart, encodeFunctionData(put), parseEther('50'))
    const take = { abi: smartAbi, functionName: 'withdrawPerfect', args: [2n ** 256n - 1n, 1n, 1n, wallet] } as const
    await bench.send(wallet, smart, encodeFunctionData(take))
  })
  expect(summary([...lending, ...pooling]).filter(([type]) => type !== 'INTERACTION')).toEqual([
    ['LEND', PROTOCOL, 'move +lent', 'move -usdc'],
    ['WITHDRAW', PROTOCOL, 'move +usdc', 'move -lent'],
    ['ADDLIQUIDITY', PROTOCOL, 'move +smart', 'move -coin', 'move -usdc'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +coin', 'move +usdc', 'move -smart'],
  ])
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '1', had: '900000', paid: '0.9' },
    coin: { address: NATIVE, price: '2000', had: '1000', paid: '1500' },
    lent: { address: lent, decimals: 6, price: '1.02' },
    smart: { address: smart, price: '9000' },
  }
  // Half came back: 250 at 0.9, and 5 of interest at 1.
  expect(bookedCosts(bench.book, wallet, quotes, lending)).toEqual({
    ...{ held: { usdc: '899755 at 809780', coin: '1000 at 1500000', lent: '250 at 225' }, basis: '2310005' },
    ...{ income: '5', realised: '0', disposals: 0, flagged: [] },
  })
  const ofUsdc = await bench.chain.actions.erc20.balanceOf(usdc, wallet)
  const costs = bookedCosts(bench.book, wallet, quotes, [...lending, ...pooling])
  // The pool deposit returns with its whole cost, shared by worth.
  expect(costs.held).toEqual({
    usdc: expect.stringContaining(`${formatUnits(ofUsdc, 6)} at `),
    coin: expect.stringContaining(`${formatEther(coinOf(pooling))} at `),
    lent: '250 at 225',
  })
  expect(costs).toMatchObject({ basis: '2310005', income: '5', realised: '0', disposals: 0, flagged: [] })
})
