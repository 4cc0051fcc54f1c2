import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import pools from './stake-pools.json' with { type: 'json' }

/** A stake pool: what its shares are called, their mint, and the account that says what they are worth. */
type StakePoolRow = readonly [symbol: string, mint: SolanaAddress, pool: SolanaAddress]

/**
 * Large pools of the SPL stake pool program and of Sanctum's two deployments of it: a wallet with their shares alone needs
 * no listing of all pools. Source: the list of liquid staking tokens that Sanctum publishes on npm (MIT).
 */
export const stakePoolRows = pools as unknown as readonly StakePoolRow[]
