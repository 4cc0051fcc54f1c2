import { NATIVE } from '../../domain/evm-address.ts'
import { transfersOf } from './changes.ts'
import { isGiven, isReceived, type Leg, legOf, type Part, type Remainder } from './legs.ts'
import { namedAction } from './named-actions.ts'
import type { Scene } from './scene.ts'

/** So many recipients of the same amount of one token in one transaction are a distribution, asked for by none of them. */
const MASS_RECIPIENTS = 10

type Step = (scene: Scene, rest: Remainder, done: readonly Leg[]) => Leg[]

/** Legs of everything that no protocol explains; `earlier` are those that one does. Nothing is left afterwards. */
export function plainLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): Leg[] {
  const done = [...earlier]
  const unwanted = [...selfLegs(scene, rest), ...spamLegs(scene, rest)]
  rest.settle()
  const steps: readonly Step[] = [bridgeLegs, exchangeLegs, receivedLegs, givenLegs]
  for (const step of steps) done.push(...step(scene, rest, done))
  return [...unwanted, ...done.slice(earlier.length)]
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

/** What went both ways. What is paid beside a protocol's action in the chain's own coin is its cost, and buys nothing. */
function exchangeLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const parts = rest.all()
  const given = parts.filter(isGiven)
  const received = parts.filter(isReceived)
  const isCost = done.length > 0 && given.every(({ token }) => token === NATIVE)
  if (given.length === 0 || received.length === 0 || isCost) return []
  const { into, back } = namedAction(scene)
  const protocol = protocolIn(scene, parts)
  const made = received.every(({ counterparty }) => counterparty === NATIVE)
  const ended = given.every(({ counterparty, token }) => counterparty === NATIVE && token !== NATIVE)
  if (into && !made) return [legOf(into, 'move', protocol, rest.take(isGiven))]
  const moved = made ? (into ?? back) : ended && back
  const all = rest.take(() => true)
  if (moved) return [legOf(moved, 'move', protocol, all)]
  return [legOf(made ? 'MINT' : 'SWAP', 'swap', protocol, all)]
}

/** The protocol that was called, or dealt with the wallet itself. */
function protocolIn({ tx, sent, book }: Scene, parts: readonly Part[]): string | null {
  const places = [...(sent && tx.to ? [tx.to] : []), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => book.protocolOf(address)).find((key) => key !== undefined) ?? null
}

function receivedLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const parts = rest.all().filter(isReceived)
  if (parts.length === 0) return []
  const { claims, back } = namedAction(scene)
  const rewarder = rewarderIn(scene, parts)
  if (rewarder !== undefined || claims || (scene.sent && done.length > 0)) {
    return [legOf('CLAIM', 'income', rewarder ?? ownerOf(done), rest.take(isReceived))]
  }
  if (back) return [legOf(back, 'move', protocolIn(scene, parts), rest.take(isReceived))]
  const isDropped = massDistributions(scene)
  const dropped = scene.sent ? [] : rest.take((part) => isReceived(part) && isDropped(part))
  const made = scene.sent ? rest.take((part) => isReceived(part) && part.counterparty === NATIVE) : []
  return [
    ...(dropped.length > 0 ? [legOf('AIRDROP', 'income', null, dropped)] : []),
    ...(made.length > 0 ? [legOf('MINT', 'acquire', null, made)] : []),
    ...rest.take(isReceived).map((part) => legOf('TRANSFERIN', 'acquire', null, [part])),
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

/** Tells which parts many got alike. */
function massDistributions({ tx }: Scene): (part: Pick<Part, 'token' | 'amountRaw'>) => boolean {
  const recipients = new Map<string, Set<string>>()
  const keyOf = ({ token, amountRaw }: Pick<Part, 'token' | 'amountRaw'>) => `${token} ${amountRaw}`
  for (const transfer of tx.logs.flatMap(transfersOf)) {
    const key = keyOf(transfer)
    recipients.set(key, (recipients.get(key) ?? new Set()).add(transfer.to))
  }
  return (part) => (recipients.get(keyOf(part))?.size ?? 0) >= MASS_RECIPIENTS
}

function givenLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const { into, donates } = namedAction(scene)
  const parts = rest.take(isGiven)
  if (parts.length === 0) return []
  if (done.length > 0) return parts.map((part) => legOf('EXPENSE', 'send', null, [part]))
  if (into) return [legOf(into, 'move', protocolIn(scene, parts), parts)]
  return parts.map((part) => legOf(donates ? 'DONATION' : 'TRANSFEROUT', 'send', null, [part]))
}
