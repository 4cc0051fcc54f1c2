import { drift } from './drift.ts'
import { driftFigures } from './drift-figures.ts'
import type { Fixture, FixtureClock } from './fixture.ts'
import { jupiterOrders, jupiterVote, jupiterVoteFigures } from './jupiter.ts'
import { jupiterLend, jupiterLendFigures } from './jupiter-lend.ts'
import { jupiterPerps } from './jupiter-perps.ts'
import { kaminoFarm, kaminoFarmFigures } from './kamino-farms.ts'
import { kaminoFigures, kaminoLend } from './kamino-lend.ts'
import { kaminoVault, kaminoVaultFigures } from './kamino-vaults.ts'
import { marginfi } from './marginfi.ts'
import { dammFigures, meteoraDamm } from './meteora-damm.ts'
import { meteoraDlmm } from './meteora-dlmm.ts'
import { whirlpool } from './orca.ts'
import { clmmFigures, raydiumClmm } from './raydium-clmm.ts'
import { raydiumPools } from './raydium-pools.ts'
import { save } from './save.ts'
import { infinity, jitoSol, marinade } from './staked-sol.ts'

const later = ({ time }: FixtureClock, seconds: number): bigint => BigInt(time + seconds)

const insured = (clock: FixtureClock) => {
  const stake = { ...driftFigures.stake, requestTime: later(clock, -500_000) }
  return { ...driftFigures, stake }
}

const locked = (clock: FixtureClock) => ({
  ...jupiterVoteFigures,
  endsAt: later(clock, 2_592_000),
  leaving: jupiterVoteFigures.leaving.map((part) => ({ ...part, expiration: later(clock, 1_000_000) })),
})

/** A thousandth of the usual liquidity. Fees and rewards are mostly earlier amounts. */
const littleClmm = (wallet: string, clock: FixtureClock): Promise<Fixture> =>
  raydiumClmm(
    wallet,
    clock,
    { ...clmmFigures(clock), liquidity: 98_765_432_109n },
    { supplied: [12_098_424_906n, 1_879_745_459n], rewards: [123_926_091n, 4_577_342n, 1_000_010n] },
  )

/** New fees: a millionth of the usual growth. */
const littleFeesDamm = (wallet: string, clock: FixtureClock): Promise<Fixture> => {
  const figures = dammFigures(clock)
  const [feeA, feeB] = figures.counters
  const growth = [feeA.checkpoint + (10_000n << 44n), feeB.checkpoint + (100n << 44n)] as const
  return meteoraDamm(wallet, clock, { ...figures, growth })
}

/** By key of the protocol. Locked and leaving parts are pending at the clock's time. */
export const everyAdapter = async (wallet: string, clock: FixtureClock): Promise<Record<string, Fixture>> => ({
  spl_stake_pool: await jitoSol(wallet),
  sanctum: await infinity(wallet),
  marinade: await marinade(wallet, clock),
  kamino_lend: await kaminoLend(wallet, kaminoFigures(clock.slot)),
  kamino_farms: await kaminoFarm(wallet, { ...kaminoFarmFigures, coolingUntil: later(clock, 600_000) }),
  kamino_vaults: await kaminoVault(wallet, kaminoVaultFigures(clock.slot)),
  marginfi: await marginfi(wallet),
  save: await save(wallet),
  drift: await drift(wallet, insured(clock)),
  jupiter_lend: await jupiterLend(wallet, jupiterLendFigures(clock)),
  jupiter_orders: await jupiterOrders(wallet),
  jupiter_perps: await jupiterPerps(wallet),
  jupiter_dao: await jupiterVote(wallet, locked(clock)),
  orca: await whirlpool(wallet, clock),
  raydium: await littleClmm(wallet, clock),
  raydium_pools: await raydiumPools(wallet),
  meteora: await meteoraDlmm(wallet, clock),
  meteora_damm_v2: await littleFeesDamm(wallet, clock),
})
