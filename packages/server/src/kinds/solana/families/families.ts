import { createKept, type Kept } from '../../../lib/kept.ts'
import { drift } from './drift/family.ts'
import type { Listing, MintLeads, SolanaFamily } from './family.ts'
import { createJupiterLend } from './jupiter-lend/family.ts'
import { jupiterOrders } from './jupiter-orders/family.ts'
import { jupiterPerps } from './jupiter-perps/family.ts'
import { jupiterVote } from './jupiter-vote/family.ts'
import { kaminoFarms } from './kamino-farms/family.ts'
import { kaminoLend } from './kamino-lend/family.ts'
import { createKaminoVaults } from './kamino-vaults/family.ts'
import { marginfi } from './marginfi/family.ts'
import { marinade } from './marinade/family.ts'
import { meteoraDamm } from './meteora-damm/family.ts'
import { meteoraDlmm } from './meteora-dlmm/family.ts'
import { nativeStake } from './native-stake/family.ts'
import { orcaWhirlpools } from './orca-whirlpools/family.ts'
import { raydiumClmm } from './raydium-clmm/family.ts'
import { createRaydiumPools } from './raydium-pools/family.ts'
import { sanctum } from './sanctum/family.ts'
import { save } from './save/family.ts'
import { createStakePools } from './stake-pools/family.ts'

/** A new protocol is one line here. */
export const createSolanaFamilies = (
  leads: (family: string) => MintLeads = () => new Map(),
  listings: Kept<Listing> = createKept(),
): readonly SolanaFamily[] => [
  nativeStake,
  createStakePools(listings),
  marinade,
  sanctum,
  kaminoLend,
  kaminoFarms,
  createKaminoVaults(leads('kamino_vaults')),
  marginfi,
  save,
  orcaWhirlpools,
  drift,
  createJupiterLend(leads('jupiter_lend'), leads('jupiter_lend_vaults')),
  jupiterOrders,
  jupiterPerps,
  jupiterVote,
  raydiumClmm,
  createRaydiumPools(leads('raydium_pools')),
  meteoraDlmm,
  meteoraDamm,
]
