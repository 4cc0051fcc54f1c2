import type { Abi } from 'viem'
import type { Lens } from '../chains/evm/evm-reader.ts'
import { codeLens } from './contracts/code-lens.ts'
import { compoundV2Lens } from './contracts/compound-v2-lens.ts'
import { exitLens } from './contracts/exit-lens.ts'
import { uniswapV3Lens } from './contracts/uniswap-v3-lens.ts'

/** Every lens that families call; a reader needs them to send a stored plan ahead. */
export const protocolLenses: readonly Lens<Abi>[] = [codeLens, compoundV2Lens, exitLens, uniswapV3Lens]
