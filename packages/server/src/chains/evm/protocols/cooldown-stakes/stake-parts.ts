import { parseAbi } from 'viem'
import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /**
   * `silo`: Ethena's sUSDe, which moves requested assets into a silo. `window`: Aave's stkAAVE, redeemable for some
   * time after a cooldown. `plain`: its first version, as stkWELL. `umbrella`: Aave's Umbrella.
   */
  shape: z.enum(['silo', 'window', 'plain', 'umbrella']),
  stakes: z.array(addressSchema).min(1),
  controller: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>

export const siloAbi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function silo() view returns (address)',
  'function cooldowns(address account) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
])

export const windowAbi = parseAbi([
  'function STAKED_TOKEN() view returns (address)',
  'function REWARD_TOKEN() view returns (address)',
  'function REWARDS_VAULT() view returns (address)',
  'function getCooldownSeconds() view returns (uint256)',
  'function UNSTAKE_WINDOW() view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function stakersCooldowns(address staker) view returns (uint40 timestamp, uint216 amount)',
  'function stakerRewardsToClaim(address staker) view returns (uint256)',
  'function getTotalRewardsBalance(address staker) view returns (uint256)',
])

export const plainAbi = parseAbi([
  'function COOLDOWN_SECONDS() view returns (uint256)',
  'function stakersCooldowns(address staker) view returns (uint256 timestamp)',
])

export const umbrellaAbi = parseAbi([
  'struct Snapshot { uint192 amount; uint32 endOfCooldown; uint32 withdrawalWindow; }',
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function REWARDS_CONTROLLER() view returns (address)',
  'function getStakerCooldown(address user) view returns (Snapshot snapshot)',
])
export const controllerAbi = parseAbi([
  'struct UserData { uint256 index; uint256 accrued; }',
  'function getAllRewards(address asset) view returns (address[] rewards)',
  'function getUserDataByAsset(address asset, address user) view returns (address[] rewards, UserData[] data)',
  'function calculateCurrentUserRewards(address asset, address user) view returns (address[] rewards, uint256[] accrued)',
])

export const rewardAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

export type StakeShape = {
  discover(reader: EvmReader, stake: EvmAddress): Promise<ProtocolContract>
  /** For a wallet without shares. */
  probe(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<boolean>
  positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]>
  worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]>
}

export function stakedIn({ address, underlyings: [staked] }: ProtocolContract): EvmAddress {
  if (!staked) throw new Error(`stake ${address} is stored without its token`)
  return staked
}

/** Unix seconds. `now`: time of the block. */
export function unlocking(end: number, now: number): Pick<PositionDraft, 'label' | 'unlockAt'> {
  return now < end ? { label: 'Cooldown, pending', unlockAt: end } : { label: 'Cooldown, ready' }
}
