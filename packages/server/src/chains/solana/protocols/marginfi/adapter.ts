import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, invalid, openExisting } from '../../codec/account-data.ts'
import { readAccounts, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { nonZero } from '../amounts.ts'
import {
  ACCOUNT,
  ASSET_TAG,
  AUTHORITY_OFFSET,
  BALANCES,
  BANK,
  balanceFields,
  bankFields,
  healthFields,
  MARGINFI,
} from './layout.ts'

const FRACTION_BITS = 48n
const SQUARE_BITS = 2n * FRACTION_BITS
/** Higher asset tags: banks with shares of another protocol. */
const LAST_PLAIN_TAG = 2
/** The pulse completed with every price. */
const PULSE_IS_SOUND = 0b110
const HEALTH_UNIT = 10n ** 18n

/**
 * Includes interest up to each bank's last update, like marginfi's SDK. Rounds supply down, debt up. Omits a health
 * factor older than the account's last change.
 */
export const marginfi: SolanaAdapter = {
  name: 'marginfi',
  key: 'marginfi',
  title: 'marginfi',
  siteUrl: 'https://www.marginfi.com',
  searched: [MARGINFI],

  async positions(scope) {
    const found = await searchAccounts(scope, ACCOUNT, AUTHORITY_OFFSET)
    const accounts = found.map((data) => ({ data, balances: balancesOf(data) }))
    const named = accounts.flatMap(({ balances }) => balances.map(({ bank }) => bank))
    const read = await readAccounts(scope.reader, named)
    const opened = [...read.values()].map((account) => openExisting(account, BANK))
    for (const bank of opened.filter(holdsOthers)) {
      scope.leftOut?.(invalid(BANK.what, bank.address, 'holds shares of another protocol, which are not read'))
    }
    const plain = opened.filter((bank) => !holdsOthers(bank))
    const banks = new Map(plain.map((bank) => [bank.address, bankFields(bank)]))
    return accounts.flatMap(({ data, balances }) => (balances.length > 0 ? [positionOf(data, balances, banks)] : []))
  },
}

type Balance = ReturnType<typeof balanceFields>
type Bank = ReturnType<typeof bankFields>

function balancesOf(data: AccountData): Balance[] {
  return BALANCES.filter((at) => data.flag(at))
    .map((at) => balanceFields(data, at))
    .filter(({ assets, liabilities, emissions }) => assets > 0n || liabilities > 0n || emissions > 0n)
}

const holdsOthers = (bank: AccountData) => bank.u8(ASSET_TAG) > LAST_PLAIN_TAG

const roundedUp = (value: bigint, bits: bigint): bigint => -(-value >> bits)

function positionOf(data: AccountData, balances: Balance[], banks: ReadonlyMap<SolanaAddress, Bank>): PositionDraft {
  const sides = balances.flatMap((balance) => {
    const bank = banks.get(balance.bank)
    return bank ? [{ ...balance, ...bank }] : []
  })
  const borrowed = nonZero(
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
    supplied: nonZero(
      sides.map(({ mint, assets, assetValue }) => ({ token: mint, amountRaw: (assets * assetValue) >> SQUARE_BITS })),
    ),
    borrowed,
    rewards: nonZero(
      sides
        .filter(({ emissionsMint }) => emissionsMint !== NATIVE_SOL)
        .map(({ emissionsMint, emissions }) => ({ token: emissionsMint, amountRaw: emissions >> FRACTION_BITS })),
    ),
    ...(health !== undefined && { healthFactorRaw: health }),
  }
}

function healthOf(data: AccountData): bigint | undefined {
  const { assets, liabilities, time, flags, lastUpdate } = healthFields(data)
  const isSound = (flags & PULSE_IS_SOUND) === PULSE_IS_SOUND
  if (!isSound || time < lastUpdate || liabilities <= 0n) return undefined
  return (assets * HEALTH_UNIT) / liabilities
}
