import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
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
const field = { owner: 8, custody: 72, side: 152, price: 153, size: 161, collateral: 169, interest: 185 } as const

const POSITION = {
  what: 'position of Jupiter perpetuals',
  programs: [PROGRAM],
  discriminator: 'VZMoMoKgZQb',
  minLength: 210,
} satisfies AccountLayout

const custodyField = { mint: 40, decimals: 104, interest: 262 } as const

const CUSTODY: AccountLayout = {
  what: 'custody of Jupiter perpetuals',
  programs: [PROGRAM],
  discriminator: 'HgWVUrv1XE',
  minLength: 294,
}

const LONG = 1
const SHORT = 2
/** Cumulative rates of interest have 9 decimals. */
const RATE_UNIT = 10n ** 9n

/**
 * Jupiter's perpetuals: each as the tokens that it amounts to. A long has bought its size at its own price with USD that it owes, a
 * short owes the tokens that it has sold; collateral and the interest of the custody's last update are added in USD, as USDC. The
 * value at any price is collateral and what was won or lost until then, before the fee for closing.
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
    const addresses = [...new Set(open.map((position) => position.key(field.custody)))]
    const accounts = await reader.accounts(addresses)
    const custodies = new Map<SolanaAddress, AccountData>(
      addresses.map((address, index) => [address, openExisting(accounts[index], CUSTODY)]),
    )
    return open.flatMap((position) => {
      const custody = custodies.get(position.key(field.custody))
      return custody ? [draftOf(position, custody)] : []
    })
  },
}

/** From USD with 6 decimals. */
const TO_18_DECIMALS = 10n ** 12n

const roundedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

function draftOf(position: AccountData, custody: AccountData): PositionDraft {
  const side = position.u8(field.side)
  if (side !== LONG && side !== SHORT) throw invalid(POSITION.what, position.address, `is on side ${side}`)
  const isLong = side === LONG
  const price = position.u64(field.price)
  if (price === 0n) throw invalid(POSITION.what, position.address, 'has no price')
  const size = position.u64(field.size)
  const tokens = size * 10n ** BigInt(custody.u8(custodyField.decimals))
  const asset = { token: custody.key(custodyField.mint), amountRaw: isLong ? tokens / price : roundedUp(tokens, price) }
  const collateral = position.u64(field.collateral)
  const usd = collateral - interestOf(position, custody, size) + (isLong ? -size : size)
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
    perpetual: {
      side: isLong ? 'long' : 'short',
      entryPriceRaw: price * TO_18_DECIMALS,
      marginUsedRaw: collateral * TO_18_DECIMALS,
      ...(collateral > 0n && { leverageRaw: (size * 10n ** 18n) / collateral }),
    },
  }
}

/** USD, rounded up. */
function interestOf(position: AccountData, custody: AccountData, size: bigint): bigint {
  const since = custody.u128(custodyField.interest) - position.u128(field.interest)
  return since > 0n ? roundedUp(since * size, RATE_UNIT) : 0n
}
