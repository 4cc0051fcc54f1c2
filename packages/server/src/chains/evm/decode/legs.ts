import type * as legs from '../../legs.ts'
import type { Change } from './changes.ts'
import type { PositionKey } from './protocol-history.ts'

export type Part = legs.Part<Change>
export type Leg = legs.Leg<Change>
export type Remainder = legs.Remainder<Change>

/** A zero amount links the other changes of a leg to a position. */
export function positionPart({ contract, id }: PositionKey, others: readonly Part[]): Part {
  const place = Math.max(0, ...others.map((part) => part.place))
  return { token: contract, tokenId: id, amountRaw: 0n, counterparty: contract, debt: false, place }
}
