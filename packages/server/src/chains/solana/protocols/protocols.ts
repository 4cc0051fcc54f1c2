import type { SolanaAdapter } from './adapter.ts'
import { drift } from './drift/adapter.ts'
import { jupiterLend } from './jupiter-lend/adapter.ts'
import { jupiterOrders } from './jupiter-orders/adapter.ts'
import { jupiterPerps } from './jupiter-perps/adapter.ts'
import { jupiterVote } from './jupiter-vote/adapter.ts'
import { kaminoFarms } from './kamino-farms/adapter.ts'
import { kaminoLend } from './kamino-lend/adapter.ts'
import { kaminoVaults } from './kamino-vaults/adapter.ts'
import { marginfi } from './marginfi/adapter.ts'
import { marinade } from './marinade/adapter.ts'
import { meteoraDamm } from './meteora-damm/adapter.ts'
import { meteoraDlmm } from './meteora-dlmm/adapter.ts'
import { nativeStake } from './native-stake/adapter.ts'
import { orcaWhirlpools } from './orca-whirlpools/adapter.ts'
import { raydiumClmm } from './raydium-clmm/adapter.ts'
import { raydiumPools } from './raydium-pools/adapter.ts'
import { sanctum } from './sanctum/adapter.ts'
import { save } from './save/adapter.ts'
import { stakePools } from './stake-pools/adapter.ts'

export const solanaAdapters: readonly SolanaAdapter[] = [
  nativeStake,
  stakePools,
  marinade,
  sanctum,
  kaminoLend,
  kaminoFarms,
  kaminoVaults,
  marginfi,
  save,
  orcaWhirlpools,
  drift,
  jupiterLend,
  jupiterOrders,
  jupiterPerps,
  jupiterVote,
  raydiumClmm,
  raydiumPools,
  meteoraDlmm,
  meteoraDamm,
]
