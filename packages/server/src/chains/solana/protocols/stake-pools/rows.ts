import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import pools from './stake-pools.json' with { type: 'json' }

type StakePoolRow = readonly [symbol: string, mint: SolanaAddress, pool: SolanaAddress]

/**
 * The SPL stake pool program and Sanctum's two deployments. Source: Sanctum's list of liquid staking tokens on npm
 * (MIT).
 */
export const stakePoolRows = pools as unknown as readonly StakePoolRow[]
