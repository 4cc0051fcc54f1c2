import { parseAbi } from 'viem'
import { fluidLensCode } from './fluid-lens.bytecode.ts'

/** `fluid-lens.sol`: a wallet's positions in vaults, and the tokens behind shares of smart lending. */
export const fluidLens = {
  name: 'FluidLens',
  abi: parseAbi([
    'struct Side { address token0; address token1; uint256 amount0; uint256 amount1; }',
    'struct Position { uint256 tokenId; uint256 vaultId; Side supplied; Side borrowed; uint256 health; }',
    'function positions(address factory, address owner, uint256 start, uint256 end) returns (Position[] found, uint256[] refused)',
    'function shares(address token, uint256 amount) returns (uint256 amount0, uint256 amount1)',
  ]),
  runtimeCode: fluidLensCode.runtime,
} as const
