import { parseAbi } from 'viem'
import { rocketPoolLensCode } from './rocket-pool-lens.bytecode.ts'

/** `rocket-pool-lens.sol`: what a node operator has. */
export const rocketPoolLens = {
  name: 'RocketPoolLens',
  abi: parseAbi([
    'struct Node { uint256 legacyStake; uint256 megapoolStake; uint256 unstaking; uint256 unstakesAt; address megapool; uint256 bond; uint256 claimable; uint256 debt; uint256 balance; uint256 credit; uint256 unclaimed; uint256 minipools; }',
    'struct Pool { address minipool; uint256 bond; uint256 claimable; }',
    'function node(address store, address wallet) view returns (Node one)',
    'function minipools(address store, address wallet, uint256 start, uint256 end) view returns (Pool[] found, address[] refused)',
  ]),
  runtimeCode: rocketPoolLensCode.runtime,
} as const
