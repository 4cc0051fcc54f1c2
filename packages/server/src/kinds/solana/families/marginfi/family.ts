import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, invalid, ofKind, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaFamily } from '../family.ts'
import { ACCOUNT, accountField, BALANCES, BANK, balanceField, bankField, healthField, MARGINFI } from './layout.ts'

/** Digits after the point of an I80F48, in bits. */
const FRACTION_BITS = 48n
const SQUARE_BITS = 2n * FRACTION_BITS
/** Banks of plain tokens, of SOL and of staked SOL; those above hold shares of another protocol. */
const LAST_PLAIN_TAG = 2
/** The pulse completed and found every price. */
const PULSE_IS_SOUND = 0b110
const HEALTH_UNIT = 10n ** 18n

/**
 * marginfi: one position per account. Amounts are shares at the bank's own share values, as in its SDK, with interest
 * up to the bank's last update. Supply is rounded down, debt up. The health factor is the account's own weighted assets
 * over liabilities, left out if its last pulse is older than its last change. Banks that hold shares of another
 * protocol are left out and reported.
 */
export const marginfi: SolanaFamily = {
  name: 'marginfi',
  key: 'marginfi',
  title: 'marginfi',
  siteUrl: 'https://www.marginfi.com',
  searched: [MARGINFI],

  async positions({ reader, wallet, used, leftOut }) {
    if (!used.has(MARGINFI)) return []
    const found = await reader.programAccounts(MARGINFI, [
      ofKind(ACCOUNT.discriminator),
      { offset: accountField.authority, bytes: wallet },
    ])
    const accounts = found
      .map((account) => openAccount(account, ACCOUNT))
      .map((data) => ({ data, balances: balancesOf(data) }))
    const addresses = [...new Set(accounts.flatMap(({ balances }) => balances.map(({ bank }) => bank)))]
    const read = await reader.accounts(addresses)
    const opened = read.map((account) => openExisting(account, BANK))
    for (const bank of opened.filter(holdsOthers)) {
      leftOut?.(invalid(BANK.what, bank.address, 'holds shares of another protocol, which are not read'))
    }
    const plain = opened.filter((bank) => !holdsOthers(bank))
    const banks = new Map(plain.map((bank) => [bank.address, readBank(bank)]))
    return accounts.flatMap(({ data, balances }) => (balances.length > 0 ? [positionOf(data, balances, banks)] : []))
  },
}

type Balance = { bank: SolanaAddress; assets: bigint; liabilities: bigint; emissions: bigint }
type Bank = { mint: SolanaAddress; assetValue: bigint; liabilityValue: bigint; emissionsMint: SolanaAddress }

function balancesOf(data: AccountData): Balance[] {
  return Array.from({ length: BALANCES }, (_, index) => accountField.balances + index * balanceField.size)
    .filter((at) => data.flag(at + balanceField.active))
    .map((at) => ({
      bank: data.key(at + balanceField.bank),
      assets: data.i128(at + balanceField.assetShares),
      liabilities: data.i128(at + balanceField.liabilityShares),
      emissions: data.i128(at + balanceField.emissions),
    }))
    .filter(({ assets, liabilities, emissions }) => assets > 0n || liabilities > 0n || emissions > 0n)
}

const holdsOthers = (bank: AccountData) => bank.u8(bankField.assetTag) > LAST_PLAIN_TAG

function readBank(data: AccountData): Bank {
  return {
    mint: data.key(bankField.mint),
    assetValue: data.i128(bankField.assetShareValue),
    liabilityValue: data.i128(bankField.liabilityShareValue),
    emissionsMint: data.key(bankField.emissionsMint),
  }
}

const roundedUp = (value: bigint, bits: bigint): bigint => -(-value >> bits)
const positive = (amounts: TokenAmount[]): TokenAmount[] => amounts.filter(({ amountRaw }) => amountRaw > 0n)

function positionOf(data: AccountData, balances: Balance[], banks: ReadonlyMap<SolanaAddress, Bank>): PositionDraft {
  const sides = balances.flatMap((balance) => {
    const bank = banks.get(balance.bank)
    return bank ? [{ ...balance, ...bank }] : []
  })
  const borrowed = positive(
    sides.map(({ mint, liabilities, liabilityValue }) => ({
      token: mint,
      amountRaw: roundedUp(liabilities * liabilityValue, SQUARE_BITS),
    })),
  )
  const health = borrowed.length > 0 ? healthOf(data) : undefined
  return {
    kind: 'lending',
    label: 'Account',
    pool: data.address,
    supplied: positive(
      sides.map(({ mint, assets, assetValue }) => ({ token: mint, amountRaw: (assets * assetValue) >> SQUARE_BITS })),
    ),
    borrowed,
    rewards: positive(
      sides
        .filter(({ emissionsMint }) => emissionsMint !== NATIVE_SOL)
        .map(({ emissionsMint, emissions }) => ({ token: emissionsMint, amountRaw: emissions >> FRACTION_BITS })),
    ),
    receipts: [],
    ...(health !== undefined && { healthFactorRaw: health }),
  }
}

function healthOf(data: AccountData): bigint | undefined {
  const at = (offset: number) => accountField.health + offset
  const liabilities = data.i128(at(healthField.liabilities))
  const isSound = (data.u32(at(healthField.flags)) & PULSE_IS_SOUND) === PULSE_IS_SOUND
  const isCurrent = data.i64(at(healthField.time)) >= data.u64(accountField.lastUpdate)
  if (!isSound || !isCurrent || liabilities <= 0n) return undefined
  return (data.i128(at(healthField.assets)) * HEALTH_UNIT) / liabilities
}
