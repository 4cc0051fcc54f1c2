import { type ChainTypes, createChainTypes } from './chain-type.ts'
import { evmChainType } from './evm/chain-type.ts'
import { solanaChainType } from './solana/chain-type.ts'

export const chainTypes: ChainTypes = createChainTypes([evmChainType, solanaChainType])

export const { chains } = chainTypes
