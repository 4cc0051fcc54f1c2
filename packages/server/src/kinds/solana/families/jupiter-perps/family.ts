import type { Perpetual, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  invalid,
  ofKind,
  openAccount,
  openExisting,
} from '../../codec/account-data.ts'
import type { SolanaFamily } from '../family.ts'

const PROGRAM = 'PERPHjGBqRHArX4DySjwM6UJHiR3sWAatqfdBS2qQJu'
/** Stands for USD, which the program counts in with as many decimals. */
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

/** Of a position; USD and prices have 6 decimals. */
const field = {
  owner: 8,
  custody: 72,
  collateralCustody: 104,
  side: 152,
  price: 153,
  size: 161,
  collateral: 169,
  interest: 185,
} as const

const POSITION = {
  what: 'position of Jupiter perpetuals',
  programs: [PROGRAM],
  discriminator: 'VZMoMoKgZQb',
  minLength: 210,
} satisfies AccountLayout

/** Fees and leverage in basis points; of the scalar that a trade's impact is measured by, USD. */
const custodyField = {
  mint: 40,
  decimals: 104,
  impactScalar: 151,
  maxLeverage: 175,
  interest: 262,
  closeFee: 304,
} as const

const CUSTODY: AccountLayout = {
  what: 'custody of Jupiter perpetuals',
  programs: [PROGRAM],
  discriminator: 'HgWVUrv1XE',
  minLength: 312,
}

const LONG = 1
const SHORT = 2
/** Cumulative rates of interest have 9 decimals. */
const RATE_UNIT = 10n ** 9n
const BASIS_POINTS = 10_000n

/**
 * Jupiter's perpetuals: each as the tokens that it amounts to. A long has bought its size at its own price with USD that it owes, a
 * short owes the tokens that it has sold; collateral and the interest are added in USD, as USDC. Interest is that of the custody
 * of the collateral, at its last update. The value at any price is collateral and what was won or lost until then, before
 * the fee for closing.
 */
export const jupiterPerps: SolanaFamily = {
  name: 'jupiter_perps',
  key: 'jupiter_perps',
  title: 'Jupiter Perps',
  siteUrl: 'https://jup.ag/perps',
  searched: [PROGRAM],

  async positions({ reader, wallet, used }) {
    if (!used.has(PROGRAM)) return []
    const filters = [ofKind(POSITION.discriminator), { offset: field.owner, bytes: wallet }]
    const found = await reader.programAccounts(PROGRAM, filters)
    // A closed position keeps its account.
    const open = found
      .map((account) => openAccount(account, POSITION))
      .filter((position) => position.u64(field.size) > 0n)
    const keys = [field.custody, field.collateralCustody]
    const addresses = [...new Set(open.flatMap((position) => keys.map((key) => position.key(key))))]
    const accounts = await reader.accounts(addresses)
    const custodies = new Map<SolanaAddress, AccountData>(
      addresses.map((address, index) => [address, openExisting(accounts[index], CUSTODY)]),
    )
    return open.flatMap((position) => {
      const [custody, lender] = keys.map((key) => custodies.get(position.key(key)))
      return custody && lender ? [draftOf(position, custody, lender)] : []
    })
  },
}

/** From USD with 6 decimals. */
const TO_18_DECIMALS = 10n ** 12n

const roundedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** `lender`: the custody of the collateral, which lends what the position borrows. */
function draftOf(position: AccountData, custody: AccountData, lender: AccountData): PositionDraft {
  const side = position.u8(field.side)
  if (side !== LONG && side !== SHORT) throw invalid(POSITION.what, position.address, `is on side ${side}`)
  const isLong = side === LONG
  const price = position.u64(field.price)
  if (price === 0n) throw invalid(POSITION.what, position.address, 'has no price')
  const size = position.u64(field.size)
  const tokens = size * 10n ** BigInt(custody.u8(custodyField.decimals))
  const asset = { token: custody.key(custodyField.mint), amountRaw: isLong ? tokens / price : roundedUp(tokens, price) }
  const collateral = position.u64(field.collateral)
  const interest = interestOf(position, lender, size)
  const usd = collateral - interest + (isLong ? -size : size)
  const owned: TokenAmount[] = usd > 0n ? [{ token: USDC, amountRaw: usd }] : []
  const owed: TokenAmount[] = usd < 0n ? [{ token: USDC, amountRaw: -usd }] : []
  return {
    kind: 'perpetuals',
    label: isLong ? 'Long' : 'Short',
    pool: position.address,
    supplied: isLong ? [asset, ...owned] : owned,
    borrowed: isLong ? owed : [asset, ...owed],
    rewards: [],
    receipts: [],
    perpetual: perpetualOf({ isLong, price, size, collateral, interest }, custody),
  }
}

/** USD, rounded up. */
function interestOf(position: AccountData, lender: AccountData, size: bigint): bigint {
  const since = lender.u128(custodyField.interest) - position.u128(field.interest)
  return since > 0n ? roundedUp(since * size, RATE_UNIT) : 0n
}

/** USD and prices with 6 decimals. */
type Terms = { isLong: boolean; price: bigint; size: bigint; collateral: bigint; interest: bigint }

function perpetualOf(terms: Terms, custody: AccountData): Perpetual {
  const { isLong, price, size, collateral } = terms
  const liquidationPrice = liquidationPriceOf(terms, custody)
  return {
    side: isLong ? 'long' : 'short',
    sizeRaw: (size * 10n ** 18n) / price,
    entryPriceRaw: price * TO_18_DECIMALS,
    marginUsedRaw: collateral * TO_18_DECIMALS,
    ...(collateral > 0n && { leverageRaw: (size * 10n ** 18n) / collateral }),
    ...(liquidationPrice !== undefined && { liquidationPriceRaw: liquidationPrice * TO_18_DECIMALS }),
  }
}

/**
 * USD with 6 decimals: where losses, interest and the fee for closing leave less of the collateral than the size by the
 * custody's maximum leverage. Undefined where no price does, or the custody states no leverage. Source: Jupiter's published
 * calculation.
 */
function liquidationPriceOf(
  { isLong, price, size, collateral, interest }: Terms,
  custody: AccountData,
): bigint | undefined {
  const [scalar, maxLeverage] = [custody.u64(custodyField.impactScalar), custody.u64(custodyField.maxLeverage)]
  if (scalar === 0n || maxLeverage === 0n) return undefined
  const fee = custody.u64(custodyField.closeFee) + roundedUp(size * BASIS_POINTS, scalar)
  const maxLoss = (size * BASIS_POINTS) / maxLeverage + (size * fee) / BASIS_POINTS + interest
  const distance = ((collateral - maxLoss) * price) / size
  const liquidation = isLong ? price - distance : price + distance
  return liquidation > 0n ? liquidation : undefined
}
