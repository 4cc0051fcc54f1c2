import { type Address, parseAbi } from 'viem'
import { packageArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

const poolAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function stake(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function getReward()',
  'function exit()',
  'function notifyRewardAmount(uint256 reward)',
])

const artifact = () => packageArtifact('@uniswap/liquidity-staker', 'build/StakingRewards.json')

type Tokens = { staked: Address; rewarded: Address }

const argumentsOf = ({ staked, rewarded }: Tokens) => [accounts.deployer, rewarded, staked]

export const deployStakingRewards = (chain: DevChain, address: Address, tokens: Tokens): Promise<Address> =>
  chain.deployTo(address, artifact(), argumentsOf(tokens))

/** Farms of Synthetix's StakingRewards pay for 60 days after each reward. */
export const stakingRewardsActions = (chain: DevChain, erc20: Erc20Actions) => {
  const at = (pool: Address) => ({ address: pool, abi: poolAbi }) as const
  const tokenOf = (pool: Address, functionName: 'stakingToken' | 'rewardsToken') =>
    chain.client.readContract({ ...at(pool), functionName })

  return {
    create: (tokens: Tokens): Promise<Address> => chain.deploy(artifact(), argumentsOf(tokens)),
    stake: async (wallet: Address, pool: Address, amount: bigint) => {
      await erc20.allow(await tokenOf(pool, 'stakingToken'), wallet, pool)
      return chain.write({ from: wallet, ...at(pool), functionName: 'stake', args: [amount] })
    },
    withdraw: (wallet: Address, pool: Address, amount: bigint) =>
      chain.write({ from: wallet, ...at(pool), functionName: 'withdraw', args: [amount] }),
    claim: (wallet: Address, pool: Address) => chain.write({ from: wallet, ...at(pool), functionName: 'getReward' }),
    exit: (wallet: Address, pool: Address) => chain.write({ from: wallet, ...at(pool), functionName: 'exit' }),
    reward: async (pool: Address, amount: bigint) => {
      await erc20.mint(await tokenOf(pool, 'rewardsToken'), pool, amount)
      return chain.write({ from: accounts.deployer, ...at(pool), functionName: 'notifyRewardAmount', args: [amount] })
    },
  }
}
