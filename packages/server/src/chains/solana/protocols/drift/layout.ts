import { type AccountOf, anchorLayout, list } from '../../codec/account-data.ts'

/** Offsets of interface version 2.156. */
export const DRIFT = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'

export const USER = anchorLayout('user of Drift', DRIFT, 'TfwwBiNJtao', 4376, {
  name: ['text', 72, 32],
  spots: list({ from: 104, count: 8, size: 40 }, { scaled: ['u64', 0], market: ['u16', 32], isDebt: ['flag', 34] }),
  /**
   * `entry`: USDC with the sign of a payment. `flags`: bit 0 means own margin. `isolated`: negative for former
   * liquidity providers.
   */
  perps: list(
    { from: 424, count: 8, size: 96 },
    {
      funding: ['i64', 0],
      base: ['i64', 8],
      quote: ['i64', 16],
      entry: ['i64', 32],
      isolated: ['i64', 72],
      market: ['u16', 92],
      flags: ['u8', 95],
    },
  ),
  marginMode: ['u8', 4355],
})

export const STATS = anchorLayout('statistics of Drift', DRIFT, 'WathPFYFksc', 240, { subAccounts: ['u16', 186] })

/** Weights for maintenance. */
export const SPOT_MARKET = anchorLayout('spot market of Drift', DRIFT, 'HqqNdyfVbzv', 776, {
  oracle: ['key', 40],
  mint: ['key', 72],
  lastPrice: ['i64', 168],
  insuranceShares: ['u128', 336],
  insuranceBase: ['u128', 368],
  unstakingPeriod: ['i64', 384],
  depositInterest: ['u128', 464],
  borrowInterest: ['u128', 480],
  assetWeight: ['u32', 644],
  liabilityWeight: ['u32', 652],
  imfFactor: ['u32', 656],
  decimals: ['u32', 680],
  oracleSource: ['u8', 687],
})
export type SpotMarket = AccountOf<typeof SPOT_MARKET>

/** Ratios and weights for maintenance. */
export const PERP_MARKET = anchorLayout('perpetual market of Drift', DRIFT, '2pTyMkwXuti', 1216, {
  oracle: ['key', 40],
  lastPrice: ['i64', 72],
  fundingLong: ['i128', 608],
  fundingShort: ['i128', 624],
  oracleSource: ['u8', 926],
  name: ['text', 1000, 32],
  expiryPrice: ['i64', 1088],
  imfFactor: ['u32', 1120],
  marginRatio: ['u32', 1140],
  profitWeight: ['u32', 1148],
  status: ['u8', 1162],
  contract: ['u8', 1163],
  quoteMarket: ['u16', 1166],
  highLeverageInitialRatio: ['u16', 1174],
  highLeverageRatio: ['u16', 1176],
})
export type PerpMarket = AccountOf<typeof PERP_MARKET>

export const STAKE = anchorLayout('insurance stake of Drift', DRIFT, 'KXo6ejgpDbt', 136, {
  shares: ['u128', 40],
  requestShares: ['u128', 56],
  base: ['u128', 72],
  requestValue: ['u64', 96],
  requestTime: ['i64', 104],
  market: ['u16', 120],
})
