import type { Perpetual, PositionDraft } from '../../../../domain/position.ts'
import { type AccountOf, anchorLayout, invalid } from '../../codec/account-data.ts'
import { readAll, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { dividedUp, positive } from '../amounts.ts'

const PROGRAM = 'PERPHjGBqRHArX4DySjwM6UJHiR3sWAatqfdBS2qQJu'
/** Stands for USD, which the program counts with as many decimals. */
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

/** USD and prices have 6 decimals. */
const POSITION = anchorLayout('position of Jupiter perpetuals', PROGRAM, 'VZMoMoKgZQb', 210, {
  owner: ['key', 8],
  custody: ['key', 72],
  collateralCustody: ['key', 104],
  side: ['u8', 152],
  price: ['u64', 153],
  size: ['u64', 161],
  collateral: ['u64', 169],
  interest: ['u128', 185],
})
type Open = AccountOf<typeof POSITION>

/** Fees and leverage in basis points, `impactScalar` in USD. */
const CUSTODY = anchorLayout('custody of Jupiter perpetuals', PROGRAM, 'HgWVUrv1XE', 312, {
  mint: ['key', 40],
  decimals: ['u8', 104],
  impactScalar: ['u64', 151],
  maxLeverage: ['u64', 175],
  interest: ['u128', 262],
  closeFee: ['u64', 304],
})
type Custody = AccountOf<typeof CUSTODY>

const LONG = 1
const SHORT = 2
/** Cumulative rates have 9 decimals. */
const RATE_UNIT = 10n ** 9n
const BASIS_POINTS = 10_000n

/** A long holds tokens and owes USD, a short owes tokens. Interest is of the collateral's custody at its last update. */
export const jupiterPerps: SolanaAdapter = {
  key: 'jupiter_perps',
  title: 'Jupiter Perps',
  siteUrl: 'https://jup.ag/perps',
  searched: [PROGRAM],

  async positions(scope) {
    // A closed position keeps its account.
    const open = (await searchAccounts(scope, POSITION)).filter(({ size }) => size > 0n)
    const named = open.flatMap(({ custody, collateralCustody }) => [custody, collateralCustody])
    const custodyOf = await readAll(scope.reader, CUSTODY, named)
    return open.map((position) => draftOf(position, custodyOf(position.custody), custodyOf(position.collateralCustody)))
  },
}

const TO_18_DECIMALS = 10n ** 12n

function draftOf(position: Open, custody: Custody, lender: Custody): PositionDraft {
  const { address, side, price, size, collateral } = position
  if (side !== LONG && side !== SHORT) throw invalid(POSITION.what, address, `is on side ${side}`)
  const isLong = side === LONG
  if (price === 0n) throw invalid(POSITION.what, address, 'has no price')
  const tokens = size * 10n ** BigInt(custody.decimals)
  const asset = { token: custody.mint, amountRaw: isLong ? tokens / price : dividedUp(tokens, price) }
  const since = positive(lender.interest - position.interest)
  const interest = dividedUp(since * size, RATE_UNIT)
  const usd = collateral - interest + (isLong ? -size : size)
  const owned = { token: USDC, amountRaw: positive(usd) }
  const owed = { token: USDC, amountRaw: positive(-usd) }
  return {
    kind: 'perpetuals',
    label: isLong ? 'Long' : 'Short',
    pool: address,
    supplied: isLong ? [asset, owned] : [owned],
    borrowed: isLong ? [owed] : [asset, owed],
    perpetual: perpetualOf({ isLong, price, size, collateral, interest }, custody),
  }
}

type Terms = { isLong: boolean; price: bigint; size: bigint; collateral: bigint; interest: bigint }

function perpetualOf(terms: Terms, custody: Custody): Perpetual {
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

/** USD with 6 decimals. Undefined without such a price or leverage. Source: Jupiter's published calculation. */
function liquidationPriceOf(
  { isLong, price, size, collateral, interest }: Terms,
  { impactScalar, maxLeverage, closeFee }: Custody,
): bigint | undefined {
  if (impactScalar === 0n || maxLeverage === 0n) return undefined
  const fee = closeFee + dividedUp(size * BASIS_POINTS, impactScalar)
  const maxLoss = (size * BASIS_POINTS) / maxLeverage + (size * fee) / BASIS_POINTS + interest
  const distance = ((collateral - maxLoss) * price) / size
  const liquidation = isLong ? price - distance : price + distance
  return liquidation > 0n ? liquidation : undefined
}
