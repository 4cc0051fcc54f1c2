import { evmKind } from './evm/kind.ts'
import { type ChainKinds, createChainKinds } from './kind.ts'
import { solanaKind } from './solana/kind.ts'

/** Every kind of chain that ships; a new one is a line here. */
export const kinds: ChainKinds = createChainKinds([evmKind, solanaKind])

/** Every chain that ships. */
export const { chains } = kinds
