import { evmKind } from './evm/kind.ts'
import { type ChainKinds, createChainKinds } from './kind.ts'
import { solanaKind } from './solana/kind.ts'

export const kinds: ChainKinds = createChainKinds([evmKind, solanaKind])

export const { chains } = kinds
