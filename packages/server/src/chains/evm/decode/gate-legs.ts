import { NATIVE } from '../../../domain/evm-address.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import type { Leg, Part, Remainder } from './legs.ts'
import type { Scene } from './scene.ts'

/**
 * Legs of what passes between the wallet and its accounts that log nothing. A token that no list names may log any
 * transfer and does not count.
 */
export function gateLegs({ book }: Scene, rest: Remainder): Leg[] {
  const gateOf = ({ token, counterparty }: Part) =>
    token === NATIVE || book.isListed(token) ? book.gateOf(counterparty) : undefined
  const legsOf = (type: 'DEPOSIT' | 'WITHDRAW', isWay: (part: Part) => boolean) => {
    const passing = rest.take((part) => isWay(part) && gateOf(part) !== undefined)
    return [...Map.groupBy(passing, gateOf)].map(([protocol = null, parts]) => legOf(type, 'move', protocol, parts))
  }
  return [...legsOf('DEPOSIT', isGiven), ...legsOf('WITHDRAW', isReceived)]
}
