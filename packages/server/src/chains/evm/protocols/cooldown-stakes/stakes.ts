import { erc20Abi, erc4626Abi, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /**
   * `silo`: Ethena's sUSDe, a cooldown moves assets into a silo. `window`: Aave's stkAAVE. `plain`: its first version,
   * as stkWELL. `umbrella`: Aave's Umbrella.
   */
  shape: z.enum(['silo', 'window', 'plain', 'umbrella']),
  stakes: z.array(addressSchema).min(1),
  controller: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>

type StakeShape = {
  discover(reader: EvmReader, stake: EvmAddress): Promise<ProtocolContract>
  /** For a wallet without shares. */
  probe(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<boolean>
  positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]>
  worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]>
}

const siloAbi = parseAbi([
  'function silo() view returns (address)',
  'function cooldowns(address account) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
])

const windowAbi = parseAbi([
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

const plainAbi = parseAbi([
  'function COOLDOWN_SECONDS() view returns (uint256)',
  'function stakersCooldowns(address staker) view returns (uint256 timestamp)',
])

const umbrellaAbi = parseAbi([
  'struct Snapshot { uint192 amount; uint32 endOfCooldown; uint32 withdrawalWindow; }',
  'function REWARDS_CONTROLLER() view returns (address)',
  'function getStakerCooldown(address user) view returns (Snapshot snapshot)',
])

const controllerAbi = parseAbi([
  'struct UserData { uint256 index; uint256 accrued; }',
  'function getAllRewards(address asset) view returns (address[] rewards)',
  'function getUserDataByAsset(address asset, address user) view returns (address[] rewards, UserData[] data)',
  'function calculateCurrentUserRewards(address asset, address user) view returns (address[] rewards, uint256[] accrued)',
])

/** A cooldown moves the worth of burnt shares into the silo. A further one restarts the time for all. */
const silo: StakeShape = {
  async discover(reader, address) {
    const [asset, silo] = await Promise.all([
      reader.read({ address, abi: erc4626Abi, functionName: 'asset' }),
      reader.read({ address, abi: siloAbi, functionName: 'silo' }),
    ])
    return stakeOf(address, asset, { silo: evmAddress(silo) })
  },

  probe: async (reader, stake, wallet) => (await waiting(reader, stake, wallet)).amountRaw > 0n,

  async positions(reader, stake, wallet) {
    const [supplied, { end, amountRaw }, { timestamp }] = await Promise.all([
      toAssets(reader, stake, stake.balanceRaw),
      waiting(reader, stake, wallet),
      reader.header(),
    ])
    const pool = siloOf(stake) ?? stake.address
    const cooling = [{ token: stakedIn(stake), amountRaw }]
    return [stakeDraft(stake, supplied), { kind: 'locked', ...unlocking(end, timestamp), pool, supplied: cooling }]
  },

  worth: toAssets,
}

async function waiting(reader: EvmReader, { address }: ProtocolContract, wallet: EvmAddress) {
  const [end, amountRaw] = await reader.read({ address, abi: siloAbi, functionName: 'cooldowns', args: [wallet] })
  return { end: Number(end), amountRaw }
}

export function siloOf({ data }: { data?: ProtocolContract['data'] }): EvmAddress | undefined {
  return data?.['silo'] === undefined ? undefined : evmAddress(data['silo'])
}

/** `end` and `last`: first and last Unix second of the redemption window. */
type CooldownOf = (
  reader: EvmReader,
  stake: EvmAddress,
  wallet: EvmAddress,
) => Promise<{ end: number; last: number } | undefined>

/** A cooldown moves nothing. A wallet without shares may have rewards left. */
const redeemableFor = (worth: StakeShape['worth'], cooldownOf: CooldownOf): StakeShape => ({
  async discover(reader, address) {
    const stake = { address, abi: windowAbi } as const
    const [staked, rewarded, vault] = await Promise.all([
      reader.read({ ...stake, functionName: 'STAKED_TOKEN' }),
      reader.read({ ...stake, functionName: 'REWARD_TOKEN' }),
      reader.read({ ...stake, functionName: 'REWARDS_VAULT' }),
    ])
    return stakeOf(address, staked, { rewarded: evmAddress(rewarded), vault: evmAddress(vault) })
  },

  async probe(reader, { address }, wallet) {
    const read = { address, abi: windowAbi, functionName: 'stakerRewardsToClaim', args: [wallet] } as const
    return (await reader.read(read)) > 0n
  },

  async positions(reader, stake, wallet) {
    const [supplied, reward, cooldown, { timestamp }] = await Promise.all([
      worth(reader, stake, stake.balanceRaw),
      rewardOf(reader, stake, wallet),
      cooldownOf(reader, stake.address, wallet),
      reader.header(),
    ])
    const cools = cooldown && timestamp <= cooldown.last && unlocking(cooldown.end, timestamp)
    return [{ ...stakeDraft(stake, supplied), ...cools, rewards: [reward] }]
  },

  worth,
})

const window = redeemableFor(
  async (reader, stake, shares) => {
    const read = { address: stake.address, abi: windowAbi, functionName: 'previewRedeem', args: [shares] } as const
    return [{ token: stakedIn(stake), amountRaw: await reader.read(read) }]
  },
  async (reader, address, wallet) => {
    const at = { address, abi: windowAbi } as const
    const [[begin], duration, window] = await Promise.all([
      reader.read({ ...at, functionName: 'stakersCooldowns', args: [wallet] }),
      reader.read({ ...at, functionName: 'getCooldownSeconds' }),
      reader.read({ ...at, functionName: 'UNSTAKE_WINDOW' }),
    ])
    const end = begin + Number(duration)
    return begin > 0 ? { end, last: end + Number(window) } : undefined
  },
)

/** The first version: redeemable once more than the cooldown has passed. */
const plain = redeemableFor(
  async (_, stake, shares) => [{ token: stakedIn(stake), amountRaw: shares }],
  async (reader, address, wallet) => {
    const at = { address, abi: plainAbi } as const
    const [begin, duration, window] = await Promise.all([
      reader.read({ ...at, functionName: 'stakersCooldowns', args: [wallet] }),
      reader.read({ ...at, functionName: 'COOLDOWN_SECONDS' }),
      reader.read({ address, abi: windowAbi, functionName: 'UNSTAKE_WINDOW' }),
    ])
    const end = Number(begin + duration)
    return begin > 0n ? { end: end + 1, last: end + Number(window) } : undefined
  },
)

/** A claim pays no more than the vault's balance and its allowance. */
async function rewardOf(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<TokenAmount> {
  const { address } = stake
  const [token, vault] = [storedIn(stake, 'rewarded'), storedIn(stake, 'vault')]
  const reward = { address: token, abi: erc20Abi } as const
  const [total, kept, allowed] = await Promise.all([
    reader.read({ address, abi: windowAbi, functionName: 'getTotalRewardsBalance', args: [wallet] }),
    reader.read({ ...reward, functionName: 'balanceOf', args: [vault] }),
    reader.read({ ...reward, functionName: 'allowance', args: [vault, address] }),
  ])
  const [amountRaw = 0n] = [total, kept, allowed].toSorted((a, b) => (a < b ? -1 : 1))
  return { token, amountRaw }
}

/** Shares can be slashed. A cooldown keeps its window and excludes later shares. */
const umbrella: StakeShape = {
  async discover(reader, address) {
    const [asset, controller] = await Promise.all([
      reader.read({ address, abi: erc4626Abi, functionName: 'asset' }),
      reader.read({ address, abi: umbrellaAbi, functionName: 'REWARDS_CONTROLLER' }),
    ])
    const listed = { address: evmAddress(controller), abi: controllerAbi, functionName: 'getAllRewards' } as const
    const rewards = await reader.read({ ...listed, args: [address] })
    const stake = stakeOf(address, asset, { controller: evmAddress(controller) })
    return { ...stake, alsoShown: rewards.map((reward) => evmAddress(reward)) }
  },

  /** Rewards may outlast the shares. */
  async probe(reader, stake, wallet) {
    const controller = { address: storedIn(stake, 'controller'), abi: controllerAbi } as const
    const args = [stake.address, wallet] as const
    const [, kept] = await reader.read({ ...controller, functionName: 'getUserDataByAsset', args })
    return kept.some(({ accrued }) => accrued > 0n)
  },

  async positions(reader, stake, wallet) {
    const { address } = stake
    const controller = { address: storedIn(stake, 'controller'), abi: controllerAbi } as const
    const args = [address, wallet] as const
    const [supplied, { amount, endOfCooldown, withdrawalWindow }, [tokens, accrued], { timestamp }] = await Promise.all(
      [
        toAssets(reader, stake, stake.balanceRaw),
        reader.read({ address, abi: umbrellaAbi, functionName: 'getStakerCooldown', args: [wallet] }),
        reader.read({ ...controller, functionName: 'calculateCurrentUserRewards', args }),
        reader.header(),
      ],
    )
    const isCooling = amount > 0n && timestamp <= endOfCooldown + withdrawalWindow
    const rewards = tokens.map((token, i) => ({ token: evmAddress(token), amountRaw: accrued[i] ?? 0n }))
    return [{ ...stakeDraft(stake, supplied), ...(isCooling && unlocking(endOfCooldown, timestamp)), rewards }]
  },

  worth: toAssets,
}

export const shapes: Readonly<Record<Deployment['shape'], StakeShape>> = { silo, window, plain, umbrella }

const stakeOf = (address: EvmAddress, staked: string, data: Record<string, EvmAddress>): ProtocolContract => ({
  address,
  role: 'stake',
  fungible: true,
  underlyings: [evmAddress(staked)],
  data,
})

async function toAssets(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]> {
  const read = { address: stake.address, abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] } as const
  return [{ token: stakedIn(stake), amountRaw: await reader.read(read) }]
}

const stakeDraft = ({ address }: HeldContract, supplied: TokenAmount[]): PositionDraft => ({
  kind: 'staked',
  label: 'Stake',
  pool: address,
  supplied,
  receipts: [address],
})

function stakedIn({ address, underlyings: [staked] }: ProtocolContract): EvmAddress {
  if (!staked) throw new Error(`stake ${address} is stored without its token`)
  return staked
}

function storedIn({ address, data }: ProtocolContract, name: 'rewarded' | 'vault' | 'controller'): EvmAddress {
  if (!data?.[name]) throw new Error(`stake ${address} is stored without its ${name}`)
  return evmAddress(data[name])
}

/** Unix seconds. `now`: time of the block. */
const unlocking = (end: number, now: number) => ({
  label: `Cooldown, ${now < end ? 'pending' : 'ready'}`,
  ...(now < end && { unlockAt: end }),
})
