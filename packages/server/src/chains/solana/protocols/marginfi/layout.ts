import { anchorLayout, places, struct } from '../../codec/account-data.ts'

/** Source: marginfi's interface 0.1.8. Shares and their values are I80F48. */
export const MARGINFI = 'MFv2hWf31Z9kbCa1snEPYctwafyhdvnV7FZnsebVacA'

export const AUTHORITY_OFFSET = 40
export const healthFields = struct({
  assets: ['i128', 1872],
  liabilities: ['i128', 1888],
  time: ['i64', 1936],
  flags: ['u32', 1944],
  lastUpdate: ['u64', 2208],
})

export const BALANCES = places({ from: 72, count: 16, size: 104 })
/** Byte 0: active flag. */
export const balanceFields = struct({
  bank: ['key', 1],
  assets: ['i128', 40],
  liabilities: ['i128', 56],
  emissions: ['i128', 72],
})

export const ASSET_TAG = 785
export const bankFields = struct({
  mint: ['key', 8],
  assetValue: ['i128', 80],
  liabilityValue: ['i128', 96],
  emissionsMint: ['key', 872],
})

export const ACCOUNT = anchorLayout('account of marginfi', MARGINFI, 'CKkRR4La3xu', 2312)
export const BANK = anchorLayout('bank of marginfi', MARGINFI, 'QnTef4UXSzF', 1864)
