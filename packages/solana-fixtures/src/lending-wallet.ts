import { drift } from './drift.ts'
import type { Fixture, FixtureClock } from './fixture.ts'
import { jupiterOrders, jupiterVote } from './jupiter.ts'
import { jupiterPerps } from './jupiter-perps.ts'
import { kaminoFarm } from './kamino-farms.ts'
import { kaminoFigures, kaminoLend } from './kamino-lend.ts'
import { marginfi } from './marginfi.ts'
import { save } from './save.ts'
import { infinity, jitoSol, marinade } from './staked-sol.ts'

/** One position of each family for a wallet, by the family's name: staked SOL, lending, orders, perpetuals, locks. */
export const lendingWallet = async (wallet: string, clock: FixtureClock): Promise<Record<string, Fixture>> => ({
  stake_pools: await jitoSol(wallet),
  sanctum: await infinity(wallet),
  marinade: await marinade(wallet, clock),
  kamino_lend: await kaminoLend(wallet, kaminoFigures(clock.slot)),
  kamino_farms: await kaminoFarm(wallet),
  marginfi: await marginfi(wallet),
  save: await save(wallet),
  drift: await drift(wallet),
  jupiter_orders: await jupiterOrders(wallet),
  jupiter_perps: await jupiterPerps(wallet),
  jupiter_vote: await jupiterVote(wallet),
})
