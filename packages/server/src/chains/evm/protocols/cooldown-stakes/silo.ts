import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import { type StakeShape, siloAbi, stakedIn, unlocking } from './stake-parts.ts'

/** A cooldown burns shares and moves their worth into the silo. A further one restarts the time for all. */
export const siloStakes: StakeShape = { discover, probe, positions, worth }

async function discover(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract> {
  const stake = { address, abi: siloAbi } as const
  const [asset, silo] = await Promise.all([
    reader.read({ ...stake, functionName: 'asset' }),
    reader.read({ ...stake, functionName: 'silo' }),
  ])
  const data = { silo: evmAddress(silo) }
  return { address, role: 'stake', fungible: true, underlyings: [evmAddress(asset)], data }
}

export function siloOf({ data }: Pick<ProtocolContract, 'data'>): EvmAddress | undefined {
  return data?.['silo'] === undefined ? undefined : evmAddress(data['silo'])
}

async function waiting(reader: EvmReader, { address }: ProtocolContract, wallet: EvmAddress) {
  const [end, amountRaw] = await reader.read({ address, abi: siloAbi, functionName: 'cooldowns', args: [wallet] })
  return { end: Number(end), amountRaw }
}

async function probe(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<boolean> {
  return (await waiting(reader, stake, wallet)).amountRaw > 0n
}

async function worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]> {
  const read = { address: stake.address, abi: siloAbi, functionName: 'convertToAssets', args: [shares] } as const
  return [{ token: stakedIn(stake), amountRaw: await reader.read(read) }]
}

async function positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]> {
  const [supplied, { end, amountRaw }, { timestamp }] = await Promise.all([
    worth(reader, stake, stake.balanceRaw),
    waiting(reader, stake, wallet),
    reader.header(),
  ])
  return [
    { kind: 'staked', label: 'Stake', pool: stake.address, supplied, receipts: [stake.address] },
    {
      kind: 'locked',
      ...unlocking(end, timestamp),
      pool: siloOf(stake) ?? stake.address,
      supplied: [{ token: stakedIn(stake), amountRaw }],
    },
  ]
}
