import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ProtocolContract } from '../adapter.ts'

export function stakedIn({ address, underlyings: [staked] }: ProtocolContract): EvmAddress {
  if (!staked) throw new Error(`stake ${address} is stored without its token`)
  return staked
}

/** Unix seconds. `now`: time of the block. */
export function unlocking(end: number, now: number): Pick<PositionDraft, 'label' | 'unlockAt'> {
  return now < end ? { label: 'Cooldown, pending', unlockAt: end } : { label: 'Cooldown, ready' }
}
