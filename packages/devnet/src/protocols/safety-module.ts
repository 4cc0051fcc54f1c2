import { type Address, maxUint256, parseAbi } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { aave: Address; stkAave: Address; rewardsVault: Address }

const COOLDOWN_SECONDS = 20 * 86_400
const WINDOW_SECONDS = 2 * 86_400

const stakeAbi = parseAbi([
  'function stake(address to, uint256 amount)',
  'function cooldown()',
  'function redeem(address to, uint256 amount)',
  'function claimRewards(address to, uint256 amount)',
  'function setEmission(uint256 perSecond)',
  'function slash(address destination, uint256 amount)',
  'function settleSlashing()',
])

export const deploySafetyModule = (chain: DevChain, { aave, stkAave, rewardsVault }: Deployment): Promise<Address> =>
  chain.deployTo(stkAave, ownArtifact('WindowStake'), [aave, aave, rewardsVault, COOLDOWN_SECONDS, WINDOW_SECONDS])

export const safetyModuleActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const stk = { address: at.stkAave, abi: stakeAbi } as const
  const admin = { from: accounts.deployer, ...stk } as const
  return {
    stake: async (wallet: Address, amount: bigint) => {
      await erc20.mint(at.aave, wallet, amount)
      await erc20.allow(at.aave, wallet, at.stkAave)
      return chain.write({ from: wallet, ...stk, functionName: 'stake', args: [wallet, amount] })
    },
    coolDown: (wallet: Address) => chain.write({ from: wallet, ...stk, functionName: 'cooldown' }),
    /** Default: all that has cooled down. */
    redeem: (wallet: Address, shares = maxUint256) =>
      chain.write({ from: wallet, ...stk, functionName: 'redeem', args: [wallet, shares] }),
    claim: (wallet: Address, receiver = wallet, amount = maxUint256) =>
      chain.write({ from: wallet, ...stk, functionName: 'claimRewards', args: [receiver, amount] }),
    /** `perSecond` is for all stakers. `funds`: the vault's balance. */
    reward: async (perSecond: bigint, funds: bigint) => {
      await erc20.setBalance(at.aave, at.rewardsVault, funds)
      await erc20.allow(at.aave, at.rewardsVault, at.stkAave)
      return chain.write({ ...admin, functionName: 'setEmission', args: [perSecond] })
    },
    slash: async (amount: bigint) => {
      await chain.write({ ...admin, functionName: 'slash', args: [accounts.market, amount] })
      return chain.write({ ...admin, functionName: 'settleSlashing' })
    },
  }
}
