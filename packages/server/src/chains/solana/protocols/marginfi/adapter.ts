import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, anchorLayout, invalid, list, readAccount } from '../../codec/account-data.ts'
import { readAccounts, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'

/** Source: marginfi's interface 0.1.8. Shares and their values are I80F48. */
const MARGINFI = 'MFv2hWf31Z9kbCa1snEPYctwafyhdvnV7FZnsebVacA'

const ACCOUNT = anchorLayout('account of marginfi', MARGINFI, 'CKkRR4La3xu', 2312, {
  owner: ['key', 40],
  balances: list(
    { from: 72, count: 16, size: 104 },
    {
      isActive: ['flag', 0],
      bank: ['key', 1],
      assets: ['i128', 40],
      liabilities: ['i128', 56],
      emissions: ['i128', 72],
    },
  ),
  healthAssets: ['i128', 1872],
  healthLiabilities: ['i128', 1888],
  healthTime: ['i64', 1936],
  healthFlags: ['u32', 1944],
  lastUpdate: ['u64', 2208],
})
type Account = AccountOf<typeof ACCOUNT>

export const BANK = anchorLayout('bank of marginfi', MARGINFI, 'QnTef4UXSzF', 1864, {
  mint: ['key', 8],
  assetValue: ['i128', 80],
  liabilityValue: ['i128', 96],
  assetTag: ['u8', 785],
  emissionsMint: ['key', 872],
})
type Bank = AccountOf<typeof BANK>

const FRACTION_BITS = 48n
const SQUARE_BITS = 2n * FRACTION_BITS
/** Higher asset tags: banks with shares of another protocol. */
const LAST_PLAIN_TAG = 2
/** The pulse completed with every price. */
const PULSE_IS_SOUND = 0b110
const HEALTH_UNIT = 10n ** 18n

/** With interest up to each bank's last update. Omits a health factor older than the account's last change. */
export const marginfi: SolanaAdapter = {
  key: 'marginfi',
  title: 'marginfi',
  siteUrl: 'https://www.marginfi.com',
  searched: [MARGINFI],

  async positions(scope) {
    const found = await searchAccounts(scope, ACCOUNT)
    const accounts = found.map(({ balances, ...account }) => ({
      ...account,
      balances: balances.filter(
        ({ isActive, ...raw }) => isActive && (raw.assets > 0n || raw.liabilities > 0n || raw.emissions > 0n),
      ),
    }))
    const named = accounts.flatMap(({ balances }) => balances.map(({ bank }) => bank))
    const read = await readAccounts(scope.reader, named)
    const banks = new Map([...read].map(([address, account]) => [address, readAccount(account, BANK)]))
    for (const [address, { assetTag }] of banks) {
      if (assetTag <= LAST_PLAIN_TAG) continue
      banks.delete(address)
      scope.leftOut?.(invalid(BANK.what, address, 'holds shares of another protocol, which are not read'))
    }
    return accounts.map((account) => positionOf(account, banks))
  },
}

function positionOf(account: Account, banks: ReadonlyMap<SolanaAddress, Bank>): PositionDraft {
  const sides = account.balances.flatMap((balance) => {
    const bank = banks.get(balance.bank)
    return bank ? [{ ...balance, ...bank }] : []
  })
  const borrowed = sides.map(({ mint, liabilities, liabilityValue }) => {
    // Rounded up.
    return { token: mint, amountRaw: -(-(liabilities * liabilityValue) >> SQUARE_BITS) }
  })
  const health = borrowed.some(({ amountRaw }) => amountRaw > 0n) ? healthOf(account) : undefined
  return {
    kind: 'lending',
    label: 'Account',
    pool: account.address,
    supplied: sides.map(({ mint, assets, assetValue }) => {
      return { token: mint, amountRaw: (assets * assetValue) >> SQUARE_BITS }
    }),
    borrowed,
    rewards: sides
      .filter(({ emissionsMint }) => emissionsMint !== NATIVE_SOL)
      .map(({ emissionsMint, emissions }) => ({ token: emissionsMint, amountRaw: emissions >> FRACTION_BITS })),
    ...(health !== undefined && { healthFactorRaw: health }),
  }
}

function healthOf({ healthAssets, healthLiabilities, healthTime, healthFlags, lastUpdate }: Account) {
  const isSound = (healthFlags & PULSE_IS_SOUND) === PULSE_IS_SOUND
  if (!isSound || healthTime < lastUpdate || healthLiabilities <= 0n) return undefined
  return (healthAssets * HEALTH_UNIT) / healthLiabilities
}
