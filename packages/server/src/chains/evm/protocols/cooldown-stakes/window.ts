import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import { plainAbi, rewardAbi, type StakeShape, stakedIn, unlocking, windowAbi } from './stake-parts.ts'

/** Unix seconds of the redemption window: `end` is its first, `last` its last. */
type Cooldown = { end: number; last: number }

type Version = {
  worthOf(reader: EvmReader, stake: EvmAddress, shares: bigint): Promise<bigint>
  cooldownOf(reader: EvmReader, stake: EvmAddress, wallet: EvmAddress): Promise<Cooldown | undefined>
}

/** A cooldown moves nothing, so the position stays the same. A wallet without shares may have rewards left. */
export const windowStakes = stakesOf({
  worthOf: (reader, address, shares) =>
    reader.read({ address, abi: windowAbi, functionName: 'previewRedeem', args: [shares] }),

  async cooldownOf(reader, address, wallet) {
    const at = { address, abi: windowAbi } as const
    const [[begin], duration, window] = await Promise.all([
      reader.read({ ...at, functionName: 'stakersCooldowns', args: [wallet] }),
      reader.read({ ...at, functionName: 'getCooldownSeconds' }),
      reader.read({ ...at, functionName: 'UNSTAKE_WINDOW' }),
    ])
    const end = begin + Number(duration)
    return begin > 0 ? { end, last: end + Number(window) } : undefined
  },
})

/** The first version: redeemable once more than the cooldown has passed. */
export const plainStakes = stakesOf({
  worthOf: async (_reader, _stake, shares) => shares,

  async cooldownOf(reader, address, wallet) {
    const at = { address, abi: plainAbi } as const
    const [begin, duration, window] = await Promise.all([
      reader.read({ ...at, functionName: 'stakersCooldowns', args: [wallet] }),
      reader.read({ ...at, functionName: 'COOLDOWN_SECONDS' }),
      reader.read({ address, abi: windowAbi, functionName: 'UNSTAKE_WINDOW' }),
    ])
    const end = Number(begin + duration)
    return begin > 0n ? { end: end + 1, last: end + Number(window) } : undefined
  },
})

function stakesOf({ worthOf, cooldownOf }: Version): StakeShape {
  async function worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]> {
    return [{ token: stakedIn(stake), amountRaw: await worthOf(reader, stake.address, shares) }]
  }

  async function positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]> {
    const [supplied, reward, cooldown, { timestamp }] = await Promise.all([
      worth(reader, stake, stake.balanceRaw),
      rewardOf(reader, stake, wallet),
      cooldownOf(reader, stake.address, wallet),
      reader.header(),
    ])
    return [
      {
        kind: 'staked',
        label: 'Stake',
        pool: stake.address,
        ...(cooldown && timestamp <= cooldown.last && unlocking(cooldown.end, timestamp)),
        supplied,
        rewards: [reward],
        receipts: [stake.address],
      },
    ]
  }

  return { discover, probe, positions, worth }
}

async function discover(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract> {
  const stake = { address, abi: windowAbi } as const
  const [staked, rewarded, vault] = await Promise.all([
    reader.read({ ...stake, functionName: 'STAKED_TOKEN' }),
    reader.read({ ...stake, functionName: 'REWARD_TOKEN' }),
    reader.read({ ...stake, functionName: 'REWARDS_VAULT' }),
  ])
  const data = { rewarded: evmAddress(rewarded), vault: evmAddress(vault) }
  return { address, role: 'stake', fungible: true, underlyings: [evmAddress(staked)], data }
}

async function probe(reader: EvmReader, { address }: ProtocolContract, wallet: EvmAddress): Promise<boolean> {
  const read = { address, abi: windowAbi, functionName: 'stakerRewardsToClaim', args: [wallet] } as const
  return (await reader.read(read)) > 0n
}

/** A claim pays no more than the vault's balance and its allowance. */
async function rewardOf(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<TokenAmount> {
  const { address } = stake
  const { token, vault } = rewardsOf(stake)
  const reward = { address: token, abi: rewardAbi } as const
  const [total, kept, allowed] = await Promise.all([
    reader.read({ address, abi: windowAbi, functionName: 'getTotalRewardsBalance', args: [wallet] }),
    reader.read({ ...reward, functionName: 'balanceOf', args: [vault] }),
    reader.read({ ...reward, functionName: 'allowance', args: [vault, address] }),
  ])
  const [amountRaw = 0n] = [total, kept, allowed].toSorted((a, b) => (a < b ? -1 : 1))
  return { token, amountRaw }
}

function rewardsOf({ address, data }: ProtocolContract) {
  if (!data?.['rewarded'] || !data['vault']) throw new Error(`stake ${address} is stored without its rewards`)
  return { token: evmAddress(data['rewarded']), vault: evmAddress(data['vault']) }
}
