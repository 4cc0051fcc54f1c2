import {
  addFluidDex,
  addFluidSmartToken,
  addFluidToken,
  addFluidVault,
  addresses,
  deployFluid,
  FLUID_COIN,
  fundFluid,
  setFluidPrice,
} from '@coffer/devnet'
import { type Address, formatEther, formatUnits, parseEther, parseUnits } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { expectedAmounts, positionAt, sidesOf, suppliedAt } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, weth, dai, wbtc } = addresses.ethereum.tokens
const PROTOCOL = 'fluid'
/** Withdraws or repays everything. */
const ALL = -(2n ** 255n)
const MANY = 2n ** 127n
const COINS = parseEther('1000000')
/** USDC for ether: 3,000 × 10^6 for 10^18, 27 decimals. */
const PRICE = 3_000n * 10n ** 15n

type Vault = { vaultId: bigint; vault: Address; oracle: Address }

const rows: ProtocolRow[] = []
const bench = await ownBench(rows)
const { chain, client } = bench
const { erc20, native } = chain.actions
const made = await deployFluid(chain)
rows.push({ family: 'fluid', key: PROTOCOL, name: 'Fluid', chain: 'ethereum', deployment: { ...made } })
await fundFluid(chain, made, [
  [usdc, parseUnits('100000000', 6)],
  [dai, parseEther('100000000')],
  [FLUID_COIN, COINS],
])
const factory = contractOf(chain, made.vaultFactory, 'FluidVaultFactory')
const liquidity = contractOf(chain, made.liquidity, 'FluidLiquidity')
const lastId = () => factory.read('totalSupply')
const coinDex = await addFluidDex(chain, made, [
  { token: usdc, decimals: 6n, collateral: parseUnits('3000000', 6), debt: parseUnits('600000', 6) },
  { token: FLUID_COIN, decimals: 18n, collateral: parseEther('1000'), debt: parseEther('200') },
])
const stableDex = await addFluidDex(chain, made, [
  { token: usdc, decimals: 6n, collateral: parseUnits('2000000', 6), debt: parseUnits('700000', 6) },
  { token: dai, decimals: 18n, collateral: parseEther('1900000'), debt: parseEther('710000') },
])
const lent = contractOf(chain, await addFluidToken(chain, made, usdc), 'FluidLendingToken')
const smart = contractOf(chain, await addFluidSmartToken(chain, made, coinDex), 'FluidSmartToken')
const old = await addFluidVault(chain, made, { supply: { token: weth }, borrow: { token: usdc }, isOld: true })
const plain = await addFluidVault(chain, made, { supply: { token: FLUID_COIN }, borrow: { token: usdc } })
const smartCol = await addFluidVault(chain, made, { supply: { dex: coinDex }, borrow: { token: usdc } })
const stableCol = await addFluidVault(chain, made, { supply: { dex: stableDex }, borrow: { token: weth } })
const smartDebt = await addFluidVault(chain, made, { supply: { token: wbtc }, borrow: { dex: stableDex } })
const coinDebt = await addFluidVault(chain, made, { supply: { token: wbtc }, borrow: { dex: coinDex } })
const smartBoth = await addFluidVault(chain, made, { supply: { dex: coinDex }, borrow: { dex: coinDex } })
await erc20.mint(weth, made.liquidity, parseEther('100'))
await bench.discover()
await setPrices()
// A vault owes its pool slightly less than its positions owe the vault: the last position cannot be closed.
const keeper = await newWallet(seededRandom('fluid keeper'))
await openShares(keeper, smartCol, { col: 10n ** 18n, debt: 10n ** 8n })
await openShares(keeper, smartDebt, { col: 10n ** 8n, debt: 10n ** 18n })
await openShares(keeper, smartBoth, { col: 10n ** 18n, debt: 10n ** 17n })

beforeEach(setPrices)

/** Debt for collateral at each vault. A pool share is worth a thousandth. */
async function setPrices(): Promise<void> {
  await setFluidPrice(chain, old.oracle, PRICE)
  await setFluidPrice(chain, plain.oracle, PRICE)
  await setFluidPrice(chain, smartCol.oracle, 6_000n * 10n ** 15n)
  await setFluidPrice(chain, smartDebt.oracle, 43n * 10n ** 36n)
  await setFluidPrice(chain, smartBoth.oracle, 5n * 10n ** 27n)
}

/** Gives coin and tokens, which all vaults may take. */
async function fund(wallet: Address, coin: bigint, amounts: readonly (readonly [Address, bigint])[]): Promise<void> {
  await native.give(wallet, coin)
  await client.mine({ blocks: 1 })
  const vaults = [old, plain, smartCol, stableCol, smartDebt, coinDebt, smartBoth].map(({ vault }) => vault)
  const spenders = [lent.address, smart.address, coinDex, stableDex, ...vaults]
  for (const [token, amount] of amounts) await bench.give(wallet, token, amount, ...spenders)
}

/** A wallet with ample balances, or with few and a thousand coins. */
function newWallet(random: Random): Promise<Address> {
  return walletWith(random, COINS, ['50000000', '90000000', '5000', '500'])
}

const owners = seededRandom('fluid histories')
const newOwner = () => walletWith(owners, parseEther('1000'), ['900000', '900000', '100', '50'])

async function walletWith(random: Random, coin: bigint, [ofUsdc, ofDai, ofWeth, ofWbtc]: Four): Promise<Address> {
  const wallet = random.address()
  await fund(wallet, coin, [
    [usdc, parseUnits(ofUsdc, 6)],
    [dai, parseEther(ofDai)],
    [weth, parseEther(ofWeth)],
    [wbtc, parseUnits(ofWbtc, 8)],
  ])
  return wallet
}

type Four = readonly [string, string, string, string]

function vaultAt({ vault }: { vault: Address }) {
  return contractOf(chain, vault, 'FluidVault')
}

type Amounts = { col?: bigint; debt?: bigint; id?: bigint }

/** Changes collateral and debt of a vault without shares. */
async function open(wallet: Address, vault: Vault, { id = 0n, col = 0n, debt = 0n }: Amounts): Promise<bigint> {
  const value = vault === plain && col > 0n ? col : 0n
  await vaultAt(vault).pay(wallet, value, 'operate', id, col, debt, wallet)
  return lastId()
}

/** `args`: the position, then five figures of a vault with one side of shares, seven of one with two. */
function perfect(wallet: Address, vault: Vault, args: readonly bigint[], value = 0n) {
  return vaultAt(vault).pay(wallet, value, 'operatePerfect', ...args, wallet)
}

/** Shares, 18 decimals, where the vault has shares. */
async function openShares(wallet: Address, vault: Vault, { col = 0n, debt = 0n }: Amounts): Promise<bigint> {
  const least = debt > 0n ? 1n : 0n
  const coin = parseEther('10000')
  if (vault === smartCol) await perfect(wallet, vault, [0n, col, MANY, coin, debt], coin)
  else if (vault === smartDebt) await perfect(wallet, vault, [0n, col, debt, least, least])
  else await perfect(wallet, vault, [0n, col, MANY, coin, debt, least, least], coin)
  return lastId()
}

const { costs, shown, summary } = namedHistory(bench, () => ({
  ...{ coin: NATIVE, nft: made.vaultFactory, usdc, dai, weth, wbtc, lent: lent.address, smart: smart.address },
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
  const found = await bench.played(wallet, async () => {
    await open(wallet, old, { col: parseEther('10'), debt: parseUnits('9000', 6) })
    await open(wallet, old, { id, col: parseEther('1') })
    await open(wallet, old, { id, debt: parseUnits('500', 6) })
    await open(wallet, old, { id, debt: -parseUnits('2000', 6) })
    await open(wallet, old, { id, col: -parseEther('2') })
    await open(wallet, old, { id, col: ALL, debt: ALL })
  })
  expect(summary(found)).toEqual([
    ['MULTITYPE', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`, `move +nft ${id}`, 'move -weth'],
    ['DEPOSIT', PROTOCOL, 'move -weth', `move nft ${id}`],
    ['BORROW', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
    ['WITHDRAW', PROTOCOL, 'move +weth', `move nft ${id}`],
    ['MULTITYPE', PROTOCOL, 'move +weth', `move nft ${id}`, 'repay -usdc', `repay nft ${id}`],
  ])
  const quotes = 'usdc:6 1 had 900000 at 1, weth 2000 had 100 at 1500, nft 0'
  const { balanceOf } = erc20
  const [ofUsdc, ofWeth] = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  // Each of two repayments closes a part of the debt. The last exceeds the loan by the interest. The vault rounds
  // against the position and leaves its NFT with the cost of the remainder.
  const kept = parseEther('100') - ofWeth
  expect(kept).toBeLessThan(1_000n)
  const interest = parseUnits('900000', 6) - ofUsdc
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: lot(ofUsdc, 1n, 6), weth: lot(ofWeth, 1_500n), nft: `1 at ${formatEther(1_500n * kept)}` },
    ...{ basis: formatUnits(ofUsdc + parseUnits('150000', 6), 6), realised: formatUnits(-interest, 6) },
    ...{ income: '0', disposals: 2, flagged: [] },
  })
})

it('takes the native coin as collateral, and gives it back', async () => {
  const wallet = await newOwner()
  const id = (await lastId()) + 1n
  const found = await bench.played(wallet, async () => {
    await open(wallet, plain, { col: parseEther('3'), debt: parseUnits('100', 6) })
    await open(wallet, plain, { id, debt: ALL })
    await open(wallet, plain, { id, col: ALL })
  })
  expect(summary(found)).toEqual([
    ['MULTITYPE', PROTOCOL, 'borrow +usdc', `borrow nft ${id}`, `move +nft ${id}`, 'move -coin'],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
    ['WITHDRAW', PROTOCOL, 'move +coin', `move nft ${id}`],
  ])
  const ofUsdc = await erc20.balanceOf(usdc, wallet)
  const ofCoin = coinOf(found)
  const kept = parseEther('1000') - ofCoin
  expect(kept).toBeLessThan(1_000n)
  const quotes = 'usdc:6 1 had 900000 at 1, coin 2000 had 1000 at 1500, nft 0'
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: lot(ofUsdc, 1n, 6), coin: lot(ofCoin, 1_500n), nft: `1 at ${formatEther(1_500n * kept)}` },
    basis: formatUnits(ofUsdc + parseUnits('1500000', 6), 6),
    realised: formatUnits(ofUsdc - parseUnits('900000', 6), 6),
    ...{ income: '0', disposals: 1, flagged: [] },
  })
})

it('knows the underlying tokens of pool shares, where pools log before and after the vault', async () => {
  const [keeper, wallet] = [await newOwner(), await newOwner()]
  const debts = parseEther('10')
  // A vault owes its pool slightly less than its positions owe the vault: the last position cannot be closed.
  await perfect(keeper, coinDebt, [0n, parseUnits('10', 8), 10n ** 17n, 1n, 1n])
  const openBoth = (owner: Address, debt: bigint) =>
    perfect(owner, smartBoth, [0n, parseEther('20'), MANY, parseEther('25'), debt, 1n, 1n], parseEther('30'))
  await openBoth(keeper, 10n ** 17n)
  const first = (await lastId()) + 1n
  const found = await bench.played(wallet, async () => {
    await perfect(wallet, stableCol, [0n, parseEther('7'), MANY, MANY, parseEther('1')])
    await vaultAt(stableCol).write(wallet, 'operate', first, parseUnits('100', 6), 0n, 1n, 0n, wallet)
    await perfect(wallet, stableCol, [first, ALL, -1n, -1n, ALL])
    await perfect(wallet, coinDebt, [0n, parseUnits('2', 8), parseEther('3'), 1n, 1n])
    await perfect(wallet, coinDebt, [first + 1n, ALL, ALL, -parseUnits('100000', 6), -debts], debts)
    await openBoth(wallet, parseEther('5'))
    await perfect(wallet, smartBoth, [first + 2n, ALL, -1n, -1n, ALL, -parseUnits('100000', 6), -debts], debts)
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
  const { balanceOf } = erc20
  const [ofUsdc, ofDai] = [await balanceOf(usdc, wallet), await balanceOf(dai, wallet)]
  const [ofWeth, ofWbtc, ofCoin] = [await balanceOf(weth, wallet), await balanceOf(wbtc, wallet), coinOf(found)]
  const quotes =
    'usdc:6 1 had 900000 at 1, dai 1 had 900000 at 1, weth 2000 had 100 at 2000, wbtc:8 60000 had 50 at 60000, coin 2000 had 1000 at 2000, nft 0'
  const nfts = expect.stringMatching(/^3 at /)
  const [btc, coin] = [lot(ofWbtc, 60_000n, 8), lot(ofCoin, 2_000n)]
  // All tokens cost their worth. The three NFTs keep the cost that did not come back. One debt of one asset and two of
  // two were repaid, each slightly above the loan.
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: lot(ofUsdc, 1n, 6), dai: lot(ofDai, 1n), weth: lot(ofWeth, 2_000n), wbtc: btc, coin, nft: nfts },
    ...{ basis: expect.any(String), realised: expect.stringMatching(/^-0\.0000/) },
    ...{ income: '0', disposals: 5, flagged: [] },
  })
})

it('calls a liquidation by the wallet a trade, and shows nothing of it to the owner', async () => {
  const [wallet, liquidator] = [await newOwner(), await newOwner()]
  await open(wallet, old, { col: parseEther('10'), debt: parseUnits('26000', 6) })
  await setFluidPrice(chain, old.oracle, 2_800n * 10n ** 15n)
  const before = await client.getBlockNumber()
  await liquidate(liquidator, false)
  expect(summary(await bench.readSince(liquidator, before))).toEqual([['SWAP', PROTOCOL, 'swap +weth', 'swap -usdc']])
  expect(await bench.readSince(wallet, before)).toEqual([])
  await setFluidPrice(chain, old.oracle, PRICE)
})

it('a liquidation is in no history: what it took is in what the position is worth, and named once nothing is left', async () => {
  const [wallet, other, liquidator] = [await newOwner(), await newOwner(), await newOwner()]
  const quotes = 'weth 2800 had 10 at 1000, usdc:6 1'
  const owe26000 = (owner: Address) =>
    bench.played(owner, () => open(owner, old, { col: parseEther('10'), debt: parseUnits('26000', 6) }))
  const found = await owe26000(wallet)
  await setFluidPrice(chain, old.oracle, 2_800n * 10n ** 15n)
  await liquidate(liquidator, false)
  const { positions } = await bench.read(wallet)
  const [collateral = 0n, debt = 0n] = [positions[0]?.supplied[0]?.amountRaw, positions[0]?.borrowed[0]?.amountRaw]
  expect(collateral).toBeLessThan(parseEther('9'))
  // The cost of ten coins, less the borrowed 26,000.
  const gain = formatEther(collateral * 2_800n - debt * 10n ** 12n + parseEther('16000'))
  expect(shown(wallet, quotes, found, positions)).toEqual({ positions: [`cost -16000, open ${gain}`], lacks: [] })

  const foundOther = await owe26000(other)
  await setFluidPrice(chain, old.oracle, 2_000n * 10n ** 15n)
  await liquidate(liquidator, true)
  const { positions: left } = await bench.read(other)
  expect(shown(other, quotes, foundOther, left)).toEqual({
    positions: [],
    lacks: [`balance-differs ${evmAddress(made.vaultFactory)}`],
  })
  expect(await bench.readSince(other, foundOther[0]?.block ?? 0n)).toEqual([])
  await setFluidPrice(chain, old.oracle, PRICE)
})

it('books nothing for what others do with their positions, and an NFT that changes hands as one', async () => {
  const [wallet, other] = [await newOwner(), await newOwner()]
  const id = (await lastId()) + 1n
  await open(wallet, old, { col: parseEther('2'), debt: parseUnits('1000', 6) })
  const before = await client.getBlockNumber()
  await factory.write(wallet, 'transferFrom', wallet, other, id)
  await open(other, old, { id, debt: -parseUnits('100', 6) })
  expect(summary(await bench.readSince(wallet, before))).toEqual([['TRANSFEROUT', null, `send -nft ${id}`]])
  expect(summary(await bench.readSince(other, before))).toEqual([
    ['TRANSFERIN', null, `acquire +nft ${id}`],
    ['REPAYVAULT', PROTOCOL, 'repay -usdc', `repay nft ${id}`],
  ])
})

it('owes shares of a pool in the proportions of the day, and nothing once they are repaid in others', async () => {
  const [keeper, trader, wallet] = [await newOwner(), await newOwner(), await newOwner()]
  await perfect(keeper, coinDebt, [0n, parseUnits('10', 8), 10n ** 17n, 1n, 1n])
  const id = (await lastId()) + 1n
  const found = await bench.played(wallet, async () => {
    await perfect(wallet, coinDebt, [0n, parseUnits('2', 8), parseEther('3'), 1n, 1n])
    await erc20.allow(usdc, trader, coinDex)
    await contractOf(chain, coinDex, 'FluidDex').write(
      trader,
      'swapDebt',
      true,
      parseUnits('60000', 6),
      parseEther('20'),
      trader,
    )
    const debts = parseEther('10')
    await perfect(wallet, coinDebt, [id, ALL, ALL, -parseUnits('100000', 6), -debts], debts)
  })
  expect(summary(found).map(([type]) => type)).toEqual(['MULTITYPE', 'MULTITYPE'])
  const { balanceOf } = erc20
  const [ofUsdc, ofWbtc, ofCoin] = [await balanceOf(usdc, wallet), await balanceOf(wbtc, wallet), coinOf(found)]
  // Three of some 1,003 shares: they owe less USDC by as much of the 60,000, and more coin by as much of the 20.
  expect(ofUsdc).toBeGreaterThan(parseUnits('900179', 6))
  expect(ofCoin).toBeLessThan(parseEther('999.941'))
  const quotes = 'usdc:6 1 had 900000 at 1, wbtc:8 60000 had 50 at 60000, coin 3000 had 1000 at 3000, nft 0'
  const [btc, coin, nft] = [lot(ofWbtc, 60_000n, 8), lot(ofCoin, 3_000n), expect.stringMatching(/^1 at 0\.000/)]
  // The repayment is worth slightly more than the loan.
  const lost = parseEther('900000') - ofUsdc * 10n ** 12n + 3_000n * (parseEther('1000') - ofCoin)
  expect(costs(wallet, quotes, found)).toEqual({
    held: { usdc: lot(ofUsdc, 1n, 6), wbtc: btc, coin, nft },
    ...{ basis: expect.any(String), realised: formatEther(-lost), income: '0', disposals: 2, flagged: [] },
  })
  expect(lost).toBeLessThan(parseEther('0.001'))
})

it('lends and withdraws, plainly and in shares of a pool', async () => {
  const wallet = await newOwner()
  const assets = parseUnits('500', 6)
  const setPrice = (price: bigint) => liquidity.write(wallet, 'setPrices', usdc, price, 10n ** 12n)
  const lending = await bench.played(wallet, async () => {
    await lent.write(wallet, 'deposit', assets, wallet)
    await setPrice(102n * 10n ** 10n)
    await lent.write(wallet, 'redeem', assets / 2n, wallet, wallet)
  })
  await setPrice(10n ** 12n)
  const pooling = await bench.played(wallet, async () => {
    await smart.pay(wallet, parseEther('50'), 'depositPerfect', parseEther('2'), MANY, MANY, wallet)
    await smart.write(wallet, 'withdrawPerfect', 2n ** 256n - 1n, 1n, 1n, wallet)
  })
  expect(summary([...lending, ...pooling]).filter(([type]) => type !== 'INTERACTION')).toEqual([
    ['LEND', PROTOCOL, 'move +lent', 'move -usdc'],
    ['WITHDRAW', PROTOCOL, 'move +usdc', 'move -lent'],
    ['ADDLIQUIDITY', PROTOCOL, 'move +smart', 'move -coin', 'move -usdc'],
    ['REMOVELIQUIDITY', PROTOCOL, 'move +coin', 'move +usdc', 'move -smart'],
  ])
  const quotes = 'usdc:6 1 had 900000 at 0.9, coin 2000 had 1000 at 1500, lent:6 1.02, smart 9000'
  // Half came back: 250 at 0.9, and 5 of interest at 1.
  expect(costs(wallet, quotes, lending)).toEqual({
    held: { usdc: '899755 at 809780', coin: '1000 at 1500000', lent: '250 at 225' },
    ...unsold('2310005', '5'),
  })
  const ofUsdc = await erc20.balanceOf(usdc, wallet)
  const dollars = expect.stringContaining(`${formatUnits(ofUsdc, 6)} at `)
  const coin = expect.stringContaining(`${formatEther(coinOf(pooling))} at `)
  // The pool deposit returns with its whole cost, shared by worth.
  const held = { usdc: dollars, coin, lent: '250 at 225' }
  expect(costs(wallet, quotes, [...lending, ...pooling])).toEqual({ held, ...unsold('2310005', '5') })
})

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

/** Payouts and payments of closing everything at the block. */
async function closing(account: Address, vault: Vault, id: bigint, hasDebt: boolean, block: bigint) {
  const debt = hasDebt ? ALL : 0n
  const limit = hasDebt ? -parseEther('50000') : 0n
  const { at } = vaultAt(vault)
  const { simulate } = at(block, vault === smartBoth ? -limit : 0n)
  if (vault === old || vault === plain) {
    const [, col, owed] = await simulate<[bigint, bigint, bigint]>(account, 'operate', id, ALL, debt, account)
    return sides([[vault === old ? weth : NATIVE, col]], [[usdc, owed]])
  }
  const closed = async (...args: bigint[]) =>
    (await simulate<[bigint, bigint[]]>(account, 'operatePerfect', id, ALL, ...args, account))[1]
  if (vault === smartCol) {
    const [, col0 = 0n, col1 = 0n, owed = 0n] = await closed(-1n, -1n, debt)
    return sides(inCoins(col0, col1), [[usdc, owed]])
  }
  if (vault === smartDebt) {
    const most = hasDebt ? -parseEther('40000000') : 0n
    const [col = 0n, , , , debt0 = 0n, debt1 = 0n] = await closed(debt, most, most)
    return sides([[wbtc, col]], inCoins(debt0, debt1, dai))
  }
  const [, col0 = 0n, col1 = 0n, , debt0 = 0n, debt1 = 0n] = await closed(-1n, -1n, debt, limit, limit)
  return sides(inCoins(col0, col1), inCoins(debt0, debt1))
}

type Signed = readonly (readonly [Address, bigint])[]

const inCoins = (first: bigint, second: bigint, other: Address = NATIVE): Signed => [
  [usdc, first],
  [other, second],
]

function sides(supplied: Signed, borrowed: Signed) {
  const positive = (amounts: Signed) => expectedAmounts(...amounts.map(([token, amount]) => [token, -amount] as const))
  return { supplied: positive(supplied), borrowed: positive(borrowed) }
}

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
    await liquidity.write(from, 'setPrices', token, price.now, price.now + random.amount(1n, 10n ** 10n))
  }
  for (const vault of [smartCol, smartDebt, smartBoth]) {
    const below = () => 10n ** 12n - random.amount(1n, 10n ** 10n)
    await vaultAt(vault).write(from, 'setPrices', below(), below())
  }
  const isFirst = random.index(2) === 0
  const sold = isFirst ? random.amount(10n ** 6n, parseUnits('90000', 6)) : random.amount(10n ** 9n, parseEther('30'))
  const dex = contractOf(chain, coinDex, 'FluidDex')
  await dex.pay(trader, isFirst ? 0n : sold, 'swapIn', isFirst, sold, 0n, trader)
}

const liquidate = (liquidator: Address, absorb: boolean) =>
  vaultAt(old).write(liquidator, 'liquidate', parseUnits('4000', 6), 0n, liquidator, absorb)

/** A vault over a pool of 2,000 USDC and 3,000 DAI. */
async function openSmall(wallet: Address) {
  const dex = await addFluidDex(chain, made, [
    { token: usdc, decimals: 6n, collateral: parseUnits('2000', 6), debt: 10n ** 6n },
    { token: dai, decimals: 18n, collateral: parseEther('3000'), debt: 10n ** 18n },
  ])
  const vault = await addFluidVault(chain, made, { supply: { dex }, borrow: { token: usdc } })
  for (const token of [usdc, dai]) await erc20.allow(token, wallet, vault.vault)
  const put = (shares: bigint) => perfect(wallet, vault, [0n, shares, MANY, MANY, 0n])
  return { dex, put }
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
          ...{ pool: evmAddress(made.vaultFactory), receipts: [evmAddress(made.vaultFactory)] },
        })
      }
      // Adding collateral and debt moves the position to another tick.
      for (const [vault, id] of owned.filter(([one]) => one === old || one === plain)) {
        const col = random.amount(10n ** 15n, parseEther('3'))
        await open(wallet, vault, { id, col, debt: random.amount(10n ** 5n, 10n ** 6n) })
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
    await setFluidPrice(chain, old.oracle, 2_800n * 10n ** 15n)
    await liquidate(liquidator, false)
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
    await setFluidPrice(chain, old.oracle, 2_000n * 10n ** 15n)
    await liquidate(liquidator, true)
    expect((await bench.read(other)).positions).toEqual([])
    expect(sidesOf(await check(wallet, old, id))).toEqual(sidesOf(after))
  })

  it('has the health by which its vault liquidates, and none without a price', async () => {
    const random = seededRandom('fluid health')
    const wallet = await newWallet(random)
    for (const token of [weth, FLUID_COIN, usdc]) {
      await liquidity.write(wallet, 'setPrices', token, 10n ** 12n, 10n ** 12n)
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
      await setFluidPrice(chain, old.oracle, nothing)
      const { positions: without } = await bench.read(wallet)
      expect(without.map(({ healthFactorRaw }) => healthFactorRaw)).toEqual([undefined, healths[1]])
      expect(without.map(sidesOf)).toEqual(debts)
    }
  })

  it('counts by proportion where a pool would not take so many shares at once, or so few', async () => {
    const random = seededRandom('fluid bounds')
    const wallet = await newWallet(random)
    const { put } = await openSmall(wallet)
    // 19,000 times the thousand shares of the pool, and a hundred-billionth of the sum.
    const shares = [19_000_000n * 10n ** 18n, 190_000_000_000_000n + 1n] as const
    for (const col of shares) await put(col)
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
    const { dex, put } = await openSmall(wallet)
    await put(10n ** 18n)
    const broken = await lastId()
    const id = await open(wallet, old, { col: parseEther('1') })
    await client.setCode({ address: dex, bytecode: '0x00' })
    const { positions, missing: reasons } = await bench.readPartly(wallet)
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([id])
    expect(reasons).toEqual([`Error: position ${broken} of ${evmAddress(made.vaultFactory)} refused to be read`])
  })

  it('is shown to its owner alone, over many pages, and no more once it is closed', async () => {
    const random = seededRandom('fluid owners')
    const [wallet, other] = [await newWallet(random), random.address()]
    const ids: bigint[] = []
    for (let i = 0; i < 10; i += 1) ids.push(await open(wallet, old, { col: parseEther('1') + BigInt(i) }))
    await factory.write(wallet, 'transferFrom', wallet, other, ids[0] ?? 0n)
    await open(wallet, old, { id: ids[1] ?? 0n, col: ALL })
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
      await lent.write(wallet, 'deposit', assets, wallet)
      const shares = random.amount(10n ** 13n, parseEther('30'))
      const value = parseEther('1000')
      await smart.pay(wallet, value, 'depositPerfect', shares, MANY, value, wallet)
      await passTime(random, trader, price)
      await smart.write(trader, 'setPrice', 10n ** 18n - random.amount(1n, 10n ** 16n))
      const { positions, block, batches } = await bench.read(wallet)
      expect(batches).toBe(2)
      const balance = await lent.at(block).read('balanceOf', wallet)
      const paid = await lent.at(block).simulate(wallet, 'redeem', balance, wallet, wallet)
      const all = [2n ** 256n - 1n, 1n, 1n, wallet]
      const result = await smart.at(block).simulate<[bigint, bigint, bigint]>(wallet, 'withdrawPerfect', ...all)
      const receipts = [evmAddress(lent.address)]
      expect(positionAt(positions, lent.address)).toMatchObject({ kind: 'lending', label: 'Lending', receipts })
      expect(suppliedAt(positions, lent.address)).toEqual(expectedAmounts([usdc, paid]))
      expect(suppliedAt(positions, smart.address)).toEqual(expectedAmounts([usdc, result[1]], [NATIVE, result[2]]))
    }
  })
})

it('asks a wallet that has nothing there for balances alone', bench.expectNothing)
