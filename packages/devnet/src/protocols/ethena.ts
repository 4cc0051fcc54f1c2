import { type Address, parseAbi } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { usde: Address; susde: Address }

const COOLDOWN_SECONDS = 7 * 86_400

const vaultAbi = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
  'function unstake(address receiver)',
  'function transferInRewards(uint256 amount)',
  'function silo() view returns (address)',
])

/** The vault creates its silo. */
export const deployEthena = (chain: DevChain, { usde, susde }: Deployment): Promise<Address> =>
  chain.deployTo(susde, ownArtifact('CooldownVault'), [usde, 'Staked USDe', 'sUSDe', COOLDOWN_SECONDS])

export const ethenaActions = (chain: DevChain, { usde, susde }: Deployment, erc20: Erc20Actions) => {
  const vault = { address: susde, abi: vaultAbi } as const
  return {
    stake: async (wallet: Address, amount: bigint) => {
      await erc20.mint(usde, wallet, amount)
      await erc20.allow(usde, wallet, susde)
      return chain.write({ from: wallet, ...vault, functionName: 'deposit', args: [amount, wallet] })
    },
    coolShares: (wallet: Address, shares: bigint) =>
      chain.write({ from: wallet, ...vault, functionName: 'cooldownShares', args: [shares] }),
    coolAssets: (wallet: Address, assets: bigint) =>
      chain.write({ from: wallet, ...vault, functionName: 'cooldownAssets', args: [assets] }),
    /** After the cooldown. */
    unstake: (wallet: Address, receiver = wallet) =>
      chain.write({ from: wallet, ...vault, functionName: 'unstake', args: [receiver] }),
    /** Vests over eight hours. */
    reward: async (amount: bigint) => {
      await erc20.mint(usde, accounts.market, amount)
      await erc20.allow(usde, accounts.market, susde)
      return chain.write({ from: accounts.market, ...vault, functionName: 'transferInRewards', args: [amount] })
    },
    silo: () => chain.client.readContract({ ...vault, functionName: 'silo' }),
  }
}
