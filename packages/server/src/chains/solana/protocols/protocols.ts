import { createKept, type Kept } from '../../../lib/kept.ts'
import type { Listing, MintLeads, SolanaAdapter } from './adapter.ts'
import { drift } from './drift/adapter.ts'
import { createJupiterLend } from './jupiter-lend/adapter.ts'
import { jupiterOrders } from './jupiter-orders/adapter.ts'
import { jupiterPerps } from './jupiter-perps/adapter.ts'
import { jupiterVote } from './jupiter-vote/adapter.ts'
import { kaminoFarms } from './kamino-farms/adapter.ts'
import { kaminoLend } from './kamino-lend/adapter.ts'
import { createKaminoVaults } from './kamino-vaults/adapter.ts'
import { marginfi } from './marginfi/adapter.ts'
import { marinade } from './marinade/adapter.ts'
import { meteoraDamm } from './meteora-damm/adapter.ts'
import { meteoraDlmm } from './meteora-dlmm/adapter.ts'
import { nativeStake } from './native-stake/adapter.ts'
import { orcaWhirlpools } from './orca-whirlpools/adapter.ts'
import { raydiumClmm } from './raydium-clmm/adapter.ts'
import { createRaydiumPools } from './raydium-pools/adapter.ts'
import { sanctum } from './sanctum/adapter.ts'
import { save } from './save/adapter.ts'
import { createStakePools } from './stake-pools/adapter.ts'

export const createSolanaAdapters = (
  leads: (adapter: string) => MintLeads = () => new Map(),
  listings: Kept<Listing> = createKept(),
): readonly SolanaAdapter[] => [
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
