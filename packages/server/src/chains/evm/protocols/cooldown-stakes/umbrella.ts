import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import { controllerAbi, type StakeShape, stakedIn, umbrellaAbi, unlocking } from './stake-parts.ts'

/**
 * Slashing makes shares worth less. A cooldown keeps its window and excludes later shares. Rewards may outlast the
 * shares.
 */
export const umbrellaStakes: StakeShape = { discover, probe, positions, worth }

async function discover(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract> {
  const stake = { address, abi: umbrellaAbi } as const
  const [asset, controller] = await Promise.all([
    reader.read({ ...stake, functionName: 'asset' }),
    reader.read({ ...stake, functionName: 'REWARDS_CONTROLLER' }),
  ])
  const listed = { address: evmAddress(controller), abi: controllerAbi, functionName: 'getAllRewards' } as const
  const rewards = await reader.read({ ...listed, args: [address] })
  return {
    address,
    role: 'stake',
    fungible: true,
    underlyings: [evmAddress(asset)],
    alsoShown: rewards.map((reward) => evmAddress(reward)),
    data: { controller: evmAddress(controller) },
  }
}

async function probe(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<boolean> {
  const at = { address: controllerOf(stake), abi: controllerAbi, functionName: 'getUserDataByAsset' } as const
  const [, kept] = await reader.read({ ...at, args: [stake.address, wallet] })
  return kept.some(({ accrued }) => accrued > 0n)
}

async function worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]> {
  const read = { address: stake.address, abi: umbrellaAbi, functionName: 'convertToAssets', args: [shares] } as const
  return [{ token: stakedIn(stake), amountRaw: await reader.read(read) }]
}

async function positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]> {
  const { address } = stake
  const counted = { address: controllerOf(stake), abi: controllerAbi } as const
  const [supplied, { amount, endOfCooldown, withdrawalWindow }, [tokens, accrued], { timestamp }] = await Promise.all([
    worth(reader, stake, stake.balanceRaw),
    reader.read({ address, abi: umbrellaAbi, functionName: 'getStakerCooldown', args: [wallet] }),
    reader.read({ ...counted, functionName: 'calculateCurrentUserRewards', args: [address, wallet] }),
    reader.header(),
  ])
  const cools = amount > 0n && timestamp <= endOfCooldown + withdrawalWindow
  return [
    {
      kind: 'staked',
      label: 'Stake',
      pool: address,
      ...(cools && unlocking(endOfCooldown, timestamp)),
      supplied,
      receipts: [address],
      rewards: tokens.map((token, i) => ({ token: evmAddress(token), amountRaw: accrued[i] ?? 0n })),
    },
  ]
}

function controllerOf({ address, data }: ProtocolContract): EvmAddress {
  if (!data?.['controller']) throw new Error(`stake ${address} is stored without its controller`)
  return evmAddress(data['controller'])
}
