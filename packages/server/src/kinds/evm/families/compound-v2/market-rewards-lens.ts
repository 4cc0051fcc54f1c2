import { parseAbi } from 'viem'
import { marketRewardsLensCode } from './market-rewards-lens.bytecode.ts'

/** `market-rewards-lens.sol`: what Moonwell's distributor owes a wallet. */
export const marketRewardsLens = {
  name: 'MarketRewardsLens',
  abi: parseAbi([
    'struct Reward { address token; uint256 amount; }',
    'function outstanding(address distributor, address wallet, address[] markets) view returns (Reward[] rewards, address[] refused)',
  ]),
  runtimeCode: marketRewardsLensCode.runtime,
} as const
