export { addressOf } from './addresses.ts'
export type { Fixture, FixtureAccount, FixtureClock, FixturePosition, FixtureToken } from './fixture.ts'
export { type KaminoFigures, type KaminoReserveFigures, kaminoFigures, kaminoLend } from './kamino-lend.ts'
export { infinity, jitoSol, type MarinadeFigures, marinade } from './staked-sol.ts'
