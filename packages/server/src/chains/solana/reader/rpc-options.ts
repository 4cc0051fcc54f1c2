import { parseExactIntegers } from '../../../lib/exact-integers.ts'
import type { RpcPoolOptions } from '../../rpc/rpc-pool.ts'

/** Nodes take 50 kB: ten calls of a hundred addresses. */
export const SOLANA_RPC = { parseJson: parseExactIntegers, batchSize: 10 } as const satisfies Partial<RpcPoolOptions>
