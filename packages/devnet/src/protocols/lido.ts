import { type Address, parseAbi, zeroAddress } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'
import { nativeActions } from './native.ts'

type Deployment = { steth: Address; wsteth: Address }

const stethAbi = parseAbi([
  'function submit(address referral) payable returns (uint256)',
  'function report(int256 change)',
  'function transferShares(address to, uint256 amount) returns (uint256)',
])
const wstethAbi = parseAbi([
  'function wrap(uint256 amount) returns (uint256)',
  'function unwrap(uint256 amount) returns (uint256)',
])

export const deployLido = async (chain: DevChain, at: Deployment): Promise<void> => {
  await chain.deployTo(at.steth, ownArtifact('StakedEther'))
  await chain.deployTo(at.wsteth, ownArtifact('WrappedStakedEther'), [at.steth])
}

/** stETH and wstETH. */
export const lidoActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const steth = { address: at.steth, abi: stethAbi } as const
  const wsteth = { address: at.wsteth, abi: wstethAbi } as const
  const stake = (wallet: Address, amount: bigint) =>
    chain.write({ from: wallet, ...steth, functionName: 'submit', args: [zeroAddress], value: amount })
  return {
    /** Stakes the wallet's own coins. */
    stake,
    /** Stakes fresh coins: the wallet's own balance stays as it is. */
    submit: async (wallet: Address, amount: bigint) => {
      await nativeActions(chain).give(wallet, amount)
      return stake(wallet, amount)
    },
    /** Takes stETH. */
    wrap: async (wallet: Address, amount: bigint) => {
      await erc20.allow(at.steth, wallet, at.wsteth)
      return chain.write({ from: wallet, ...wsteth, functionName: 'wrap', args: [amount] })
    },
    /** Takes wstETH. */
    unwrap: (wallet: Address, amount: bigint) =>
      chain.write({ from: wallet, ...wsteth, functionName: 'unwrap', args: [amount] }),
    transferShares: (from: Address, to: Address, shares: bigint) =>
      chain.write({ from, ...steth, functionName: 'transferShares', args: [to, shares] }),
    /** The daily report: rewards, or a loss when negative, shared by all stETH. */
    rebase: (change: bigint) =>
      chain.write({ from: accounts.deployer, ...steth, functionName: 'report', args: [change] }),
  }
}
