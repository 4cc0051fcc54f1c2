import { type ChainKinds, createChainKinds } from './chain-type.ts'
import { evmKind } from './evm/chain-type.ts'
import { solanaKind } from './solana/chain-type.ts'

export const kinds: ChainKinds = createChainKinds([evmKind, solanaKind])

export const { chains } = kinds
