import { parseExactIntegers } from '../../../lib/exact-integers.ts'
import type { RpcPoolOptions } from '../../rpc/rpc-pool.ts'

/** How nodes of Solana's kind are asked. They take requests of 50 kB: ten calls of a hundred addresses. */
export const SOLANA_RPC = { parseJson: parseExactIntegers, batchSize: 10 } as const satisfies Partial<RpcPoolOptions>
