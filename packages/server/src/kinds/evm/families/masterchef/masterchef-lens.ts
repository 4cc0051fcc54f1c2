import { parseAbi } from 'viem'
import { masterChefLensCode } from './masterchef-lens.bytecode.ts'

/** `masterchef-lens.sol`: stakes of a wallet in pools of a chef. */
export const masterChefLens = {
  name: 'MasterChefLens',
  abi: parseAbi([
    'struct Chef { address chef; address reward; address payer; bytes4 pending; bool hasList; bool hasRewarders; uint256 bonusAt; }',
    'struct Reward { address token; uint256 amount; }',
    'struct Stake { uint256 pid; address token; uint256 amount; uint256 pending; uint256 minted; Reward[] more; bool lacksRewards; }',
    'function stakes(Chef chef, address wallet, uint256[] pids) returns (Stake[] found, uint256 kept, uint256[] refused)',
  ]),
  runtimeCode: masterChefLensCode.runtime,
} as const
