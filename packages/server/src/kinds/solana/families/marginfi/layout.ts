import type { AccountLayout } from '../../codec/account-data.ts'

/** Offsets of marginfi's accounts, as its interface 0.1.8 lays them out. Shares and their values are I80F48. */
export const MARGINFI = 'MFv2hWf31Z9kbCa1snEPYctwafyhdvnV7FZnsebVacA'

/** `balances`: sixteen of `balance`. `health`: the cache of the last pulse. */
export const accountField = { group: 8, authority: 40, balances: 72, health: 1840, lastUpdate: 2208 } as const

export const BALANCES = 16

export const balanceField = {
  active: 0,
  bank: 1,
  assetShares: 40,
  liabilityShares: 56,
  emissions: 72,
  size: 104,
} as const

export const healthField = { assets: 32, liabilities: 48, time: 96, flags: 104 } as const

export const bankField = {
  mint: 8,
  assetShareValue: 80,
  liabilityShareValue: 96,
  assetTag: 785,
  emissionsMint: 872,
} as const

export const ACCOUNT: AccountLayout & { discriminator: string } = {
  what: 'account of marginfi',
  programs: [MARGINFI],
  discriminator: 'CKkRR4La3xu',
  minLength: 2312,
}

export const BANK: AccountLayout = {
  what: 'bank of marginfi',
  programs: [MARGINFI],
  discriminator: 'QnTef4UXSzF',
  minLength: 1864,
}
