import type { AccountLayout } from '../../codec/account-data.ts'

/** Offsets of Drift's accounts, as version 2.156 of its interface lays them out. */
export const DRIFT = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'

/** Eight of `spotPosition`, eight of `perpPosition`. */
export const userField = { authority: 8, name: 72, spot: 104, perp: 424, marginMode: 4355 } as const
export const POSITIONS = 8
export const NAME_BYTES = 32

/** `type`: 0 a deposit, 1 a debt. */
export const spotPositionField = { scaled: 0, market: 32, type: 34, size: 40 } as const

export const perpPositionField = {
  funding: 0,
  base: 8,
  quote: 16,
  entry: 32,
  isolated: 72,
  market: 92,
  /** Bits: the first says that the position has a margin of its own. */
  flags: 95,
  size: 96,
} as const

export const statsField = { subAccountsCreated: 186 } as const

/** Weights are those for maintenance. */
export const spotMarketField = {
  oracle: 40,
  mint: 72,
  lastPrice: 168,
  insuranceShares: 336,
  insuranceBase: 368,
  unstakingPeriod: 384,
  depositInterest: 464,
  borrowInterest: 480,
  assetWeight: 644,
  liabilityWeight: 652,
  imfFactor: 656,
  decimals: 680,
  oracleSource: 687,
} as const

/** Ratios and weights are those for maintenance. */
export const perpMarketField = {
  oracle: 40,
  lastPrice: 72,
  fundingLong: 608,
  fundingShort: 624,
  oracleSource: 926,
  name: 1000,
  expiryPrice: 1088,
  imfFactor: 1120,
  marginRatio: 1140,
  profitWeight: 1148,
  status: 1162,
  contract: 1163,
  quoteMarket: 1166,
  highLeverageInitialRatio: 1174,
  highLeverageRatio: 1176,
} as const

export const stakeField = {
  shares: 40,
  requestShares: 56,
  base: 72,
  requestValue: 96,
  requestTime: 104,
  market: 120,
} as const

const anchor = (what: string, discriminator: string, minLength: number): AccountLayout => ({
  what: `${what} of Drift`,
  programs: [DRIFT],
  discriminator,
  minLength,
})

export const USER = anchor('user', 'TfwwBiNJtao', 4376)
export const STATS = anchor('statistics', 'WathPFYFksc', 240)
export const SPOT_MARKET = anchor('spot market', 'HqqNdyfVbzv', 776)
export const PERP_MARKET = anchor('perpetual market', '2pTyMkwXuti', 1216)
export const STAKE = anchor('insurance stake', 'KXo6ejgpDbt', 136)

export const VAULT: AccountLayout = {
  what: 'insurance vault of Drift',
  programs: ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'],
  minLength: 165,
}
export const VAULT_AMOUNT = 64
