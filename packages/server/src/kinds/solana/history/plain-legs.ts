import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { Leg, Remainder } from '../../legs.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { SolanaChange } from './changes.ts'
import type { KnownProgram, SolanaBook } from './solana-book.ts'

/** A transaction as one wallet sees it. */
export type SolanaScene = {
  tx: SolanaTransaction
  wallet: SolanaAddress
  book: SolanaBook
  /** The wallet signed it. */
  sent: boolean
}

type Legs = Leg<SolanaChange>[]
type Rest = Remainder<SolanaChange>

/** SOL and wrapped SOL that became each other. */
export function wrapLegs(rest: Rest): Legs {
  const [sol, wrapped] = [NATIVE_SOL, WRAPPED_SOL].map((token) => rest.all().find((part) => part.token === token))
  if (!sol || !wrapped || isGiven(sol) === isGiven(wrapped)) return []
  const sized = ({ amountRaw }: SolanaChange) => (isGiven({ amountRaw }) ? -amountRaw : amountRaw)
  const parts = [
    ...rest.takeUpTo(sized(wrapped), (part) => part.token === NATIVE_SOL),
    ...rest.takeUpTo(sized(sol), (part) => part.token === WRAPPED_SOL),
  ]
  return [legOf(isGiven(sol) ? 'WRAP' : 'UNWRAP', 'move', null, parts)]
}

/** Legs of everything that is left; nothing is left afterwards. `done`: those that were found before. */
export function plainLegs(scene: SolanaScene, rest: Rest, done: Legs): Legs {
  const spam = spamLegs(scene, rest)
  const given = rest.all().filter(isGiven)
  const received = rest.all().filter(isReceived)
  const known = calledProgram(scene)
  if (given.length > 0 && received.length > 0) return [...spam, exchangeLeg(rest, known)]
  if (known && scene.sent && done.length === 0) {
    const all = rest.take(() => true)
    const type = given.length > 0 ? known.into : known.back
    return all.length > 0 ? [...spam, legOf(type, 'move', known.protocol, all)] : spam
  }
  return [...spam, ...oneWayLegs(scene, rest, done)]
}

/** Bait that the wallet did not ask for. */
function spamLegs({ book, sent }: SolanaScene, rest: Rest): Legs {
  if (sent) return []
  const parts = rest.take((part) => part.token !== NATIVE_SOL && isReceived(part) && book.isSpam(part.token))
  return parts.length > 0 ? [legOf('SPAM', 'spam', null, parts)] : []
}

/** A share that a protocol mints or burns carries the cost of what it stands for; anything else is a swap. */
function exchangeLeg(rest: Rest, known: KnownProgram | undefined): Leg<SolanaChange> {
  const parts = rest.take(() => true)
  const isMade = (part: SolanaChange) => part.counterparty === null
  if (known && parts.filter(isReceived).every(isMade)) return legOf(known.into, 'move', known.protocol, parts)
  if (known && parts.filter(isGiven).every(isMade)) return legOf(known.back, 'move', known.protocol, parts)
  const made = parts.filter(isReceived).every(isMade)
  return legOf(made ? 'MINT' : 'SWAP', 'swap', known?.protocol ?? null, parts)
}

function oneWayLegs({ sent }: SolanaScene, rest: Rest, done: Legs): Legs {
  const isBeside = done.length > 0
  const given = rest.take(isGiven).map((part) => legOf(isBeside ? 'EXPENSE' : 'TRANSFEROUT', 'send', null, [part]))
  const received = rest.take(isReceived).map((part) => {
    if (sent && isBeside) return legOf('CLAIM', 'income', null, [part])
    return legOf(sent && part.counterparty === null ? 'MINT' : 'TRANSFERIN', 'acquire', null, [part])
  })
  return [...given, ...received]
}

/** The first program of a protocol that the transaction called, itself or by another program. */
export function calledProgram({ tx, book }: SolanaScene): KnownProgram | undefined {
  return tx.instructions.map(({ program }) => book.programOf(program)).find((known) => known !== undefined)
}
