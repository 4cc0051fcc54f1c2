import { NATIVE } from '../../domain/evm-address.ts'
import { transfersOf } from './changes.ts'
import { isGiven, isReceived, type Leg, legOf, type Part, type Remainder } from './legs.ts'
import type { Scene } from './scene.ts'

/** So many recipients of the same amount of one token in one transaction are a distribution, asked for by none of them. */
const MASS_RECIPIENTS = 10

/** Legs of everything that no protocol explains. Nothing is left afterwards. */
export function plainLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): Leg[] {
  return [
    ...selfLegs(scene, rest),
    ...spamLegs(scene, rest),
    ...bridgeLegs(scene, rest),
    ...swapLegs(scene, rest, earlier),
    ...receivedLegs(scene, rest, earlier),
    ...givenLegs(rest, earlier),
  ]
}

function selfLegs({ wallet }: Scene, rest: Remainder): Leg[] {
  const parts = rest.take(({ counterparty }) => counterparty === wallet)
  return parts.length > 0 ? [legOf('SELFTRANSFER', 'move', null, parts)] : []
}

/** Bait that somebody else moved, or that came for nothing. What the wallet itself bought is no gift, whatever it is worth. */
function spamLegs({ book, sent }: Scene, rest: Remainder): Leg[] {
  if (sent && rest.all().some(isGiven)) return []
  const parts = rest.take(({ token }) => token !== NATIVE && book.isSpam(token))
  return parts.length > 0 ? [legOf('SPAM', 'spam', null, parts)] : []
}

/** What went one way only, to or from a bridge or in a transaction in which a bridge spoke. */
function bridgeLegs({ tx, book }: Scene, rest: Remainder): Leg[] {
  const parts = rest.all()
  const out = parts.some(isGiven)
  if (parts.length === 0 || (out && parts.some(isReceived))) return []
  const places = [...parts.map(({ counterparty }) => counterparty), ...(tx.to ? [tx.to] : [])]
  const bridge = [...places, ...tx.logs.map(({ address }) => address)]
    .map((address) => book.bridgeOf(address))
    .find((found) => found !== undefined)
  if (!bridge) return []
  const tokens = parts.filter(({ token }) => token !== NATIVE)
  const carried = rest.take((part) => tokens.length === 0 || tokens.includes(part))
  return [legOf(out ? 'BRIDGEOUT' : 'BRIDGEIN', 'bridge', bridge.key, carried)]
}

function swapLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): Leg[] {
  const parts = rest.all()
  if (earlier.length > 0 || !parts.some(isGiven) || !parts.some(isReceived)) return []
  const received = parts.filter(isReceived)
  const made = received.every(({ counterparty }) => counterparty === NATIVE)
  return [
    legOf(
      made ? 'MINT' : 'SWAP',
      'swap',
      exchangeOf(scene, parts),
      rest.take(() => true),
    ),
  ]
}

/** The protocol that was called, or dealt with the wallet itself. */
function exchangeOf({ tx, sent, book }: Scene, parts: readonly Part[]): string | null {
  const places = [...(sent && tx.to ? [tx.to] : []), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => book.protocolOf(address)).find((key) => key !== undefined) ?? null
}

function receivedLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): Leg[] {
  const rewarder = rewarderIn(scene, rest.all()) ?? (scene.sent && earlier.length > 0 ? ownerOf(earlier) : undefined)
  if (rewarder !== undefined) {
    const parts = rest.take(isReceived)
    return parts.length > 0 ? [legOf('CLAIM', 'income', rewarder, parts)] : []
  }
  const dropped = scene.sent ? [] : rest.take((part) => isReceived(part) && isMassDistribution(scene, part))
  const made = scene.sent ? rest.take((part) => isReceived(part) && part.counterparty === NATIVE) : []
  const other = rest.take(isReceived)
  return [
    ...(dropped.length > 0 ? [legOf('AIRDROP', 'income', null, dropped)] : []),
    ...(made.length > 0 ? [legOf('MINT', 'acquire', null, made)] : []),
    ...other.map((part) => legOf('TRANSFERIN', 'acquire', null, [part])),
  ]
}

/** Who pays the wallet a reward: it is called for it, or pays itself. */
function rewarderIn({ tx, sent, book }: Scene, parts: readonly Part[]): string | undefined {
  const paying = parts.filter(isReceived).map(({ counterparty }) => counterparty)
  return [...(sent && tx.to ? [tx.to] : []), ...paying]
    .map((address) => book.rewarderOf(address))
    .find((key) => key !== undefined)
}

const ownerOf = (legs: readonly Leg[]) => legs.find(({ protocol }) => protocol !== null)?.protocol ?? null

function isMassDistribution({ tx }: Scene, { token, amountRaw }: Part): boolean {
  const recipients = new Set(
    tx.logs
      .filter(({ address }) => address === token)
      .flatMap(transfersOf)
      .filter((transfer) => transfer.amountRaw === amountRaw)
      .map(({ to }) => to),
  )
  return recipients.size >= MASS_RECIPIENTS
}

/** What is paid beside an action is its cost. */
function givenLegs(rest: Remainder, earlier: readonly Leg[]): Leg[] {
  const type = earlier.length > 0 ? 'EXPENSE' : 'TRANSFEROUT'
  return rest.take(isGiven).map((part) => legOf(type, 'send', null, [part]))
}
