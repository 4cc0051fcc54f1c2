import { parseAbi } from 'viem'
import { etherFiLensCode } from './ether-fi-lens.bytecode.ts'

/** `ether-fi-lens.sol`: a wallet's requests in the withdrawal queue. */
export const etherFiLens = {
  name: 'EtherFiLens',
  abi: parseAbi([
    'struct Found { uint256 id; uint256 amount; bool isFinalized; bool isValid; }',
    'function requests(address nft, address pool, address wallet, uint256[] ids) view returns (Found[] found)',
  ]),
  runtimeCode: etherFiLensCode.runtime,
} as const
