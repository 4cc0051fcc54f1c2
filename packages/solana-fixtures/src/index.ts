export { MainnetSpotMarkets as driftSpotMarkets } from '@drift-labs/sdk/lib/node/constants/spotMarkets.js'
export { addressOf, derived } from './addresses.ts'
export { drift } from './drift.ts'
export { type DriftFigures, type DriftMargin, driftFigures, driftMargin } from './drift-figures.ts'
export { driftLiquidationPrice } from './drift-positions.ts'
/** `everyFamily` is the name that outside checks import. */
export { everyAdapter, everyAdapter as everyFamily } from './every-protocol.ts'
export type { Fixture, FixtureAccount, FixtureClock, FixturePosition, FixtureToken } from './fixture.ts'
export {
  type JupiterOrderFigures,
  type JupiterVoteFigures,
  jupiterOrderFigures,
  jupiterOrders,
  jupiterVote,
  jupiterVoteFigures,
} from './jupiter.ts'
export { type JupiterLendFigures, jupiterLend, jupiterLendFigures } from './jupiter-lend.ts'
export { type JupiterPerpsFigures, jupiterPerps, jupiterPerpsFigures } from './jupiter-perps.ts'
export { type KaminoFarmFigures, kaminoFarm, kaminoFarmFigures } from './kamino-farms.ts'
export { type KaminoFigures, type KaminoReserveFigures, kaminoFigures, kaminoLend } from './kamino-lend.ts'
export { type KaminoVaultFigures, kaminoVault, kaminoVaultFigures } from './kamino-vaults.ts'
export { type MarginfiFigures, marginfi, marginfiFigures } from './marginfi.ts'
export { type DammFigures, dammFigures, meteoraDamm } from './meteora-damm.ts'
export { type DlmmBinFigures, type DlmmFigures, dlmmFigures, meteoraDlmm } from './meteora-dlmm.ts'
export { orcaSqrtPrice, type WhirlpoolFigures, whirlpool, whirlpoolFigures } from './orca.ts'
export { clmmMarket, cpmmMarket, type PairFigures, type RangeFigures, whirlpoolMarket, whirlpoolPays } from './pools.ts'
export { driftFeeds, type PythFigures, pythFeeds, pythPrice } from './pyth.ts'
export { type ClmmAmounts, type ClmmFigures, clmmFigures, raydiumClmm } from './raydium-clmm.ts'
export { type LpFigures, lpFigures, raydiumPools } from './raydium-pools.ts'
export { type SaveFigures, save, saveFigures } from './save.ts'
export { infinity, jitoSol, type MarinadeFigures, marinade } from './staked-sol.ts'
export { mintAccount } from './tokens.ts'
