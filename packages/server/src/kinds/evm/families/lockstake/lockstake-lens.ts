import { parseAbi } from 'viem'
import { lockstakeLensCode } from './lockstake-lens.bytecode.ts'

/** `lockstake-lens.sol`: positions of a wallet in an engine. */
export const lockstakeLens = {
  name: 'LockstakeLens',
  abi: parseAbi([
    'struct Urn { uint256 index; uint256 locked; uint256 owed; uint256 health; bool isDelegated; bool isInAuction; uint256[] rewards; }',
    'function urns(address engine, address[] farms, address wallet) returns (Urn[] found, uint256[] refused)',
  ]),
  runtimeCode: lockstakeLensCode.runtime,
} as const
