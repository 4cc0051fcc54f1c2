import { drift } from './families/drift.ts'
import { jupiterOrders } from './families/jupiter-orders.ts'
import { jupiterPerps } from './families/jupiter-perps.ts'
import { jupiterVote } from './families/jupiter-vote.ts'
import { kaminoFarms } from './families/kamino-farms.ts'
import { kaminoLend } from './families/kamino-lend.ts'
import { createKaminoVaults } from './families/kamino-vaults.ts'
import { marginfi } from './families/marginfi.ts'
import { marinade } from './families/marinade.ts'
import { meteoraDamm } from './families/meteora-damm.ts'
import { meteoraDlmm } from './families/meteora-dlmm.ts'
import { nativeStake } from './families/native-stake.ts'
import { orcaWhirlpools } from './families/orca-whirlpools.ts'
import { raydiumClmm } from './families/raydium-clmm.ts'
import { createRaydiumPools } from './families/raydium-pools.ts'
import { sanctum } from './families/sanctum.ts'
import { save } from './families/save.ts'
import { stakePools } from './families/stake-pools.ts'
import type { SolanaFamily } from './solana-family.ts'

/**
 * Every family that reads Solana wallets; a new one is a line here. Some remember what they found on a chain: each chain of
 * a service has families of its own.
 */
export const createSolanaFamilies = (): readonly SolanaFamily[] => [
  nativeStake,
  stakePools,
  marinade,
  sanctum,
  kaminoLend,
  kaminoFarms,
  createKaminoVaults(),
  marginfi,
  save,
  orcaWhirlpools,
  drift,
  jupiterOrders,
  jupiterPerps,
  jupiterVote,
  raydiumClmm,
  createRaydiumPools(),
  meteoraDlmm,
  meteoraDamm,
]
