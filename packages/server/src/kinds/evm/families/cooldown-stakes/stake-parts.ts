import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { Instrument } from '../family.ts'

/** The token that was staked. */
export function stakedIn({ address, underlyings: [staked] }: Instrument): EvmAddress {
  if (!staked) throw new Error(`stake ${address} is stored without its token`)
  return staked
}

/** What may be taken out from a time on; `now`: Unix seconds of the block. */
export function unlocking(end: number, now: number): Pick<PositionDraft, 'label' | 'unlockAt'> {
  return now < end ? { label: 'Cooldown, pending', unlockAt: end } : { label: 'Cooldown, ready' }
}
