import { NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import { transfersOf } from './changes.ts'
import type { ContractRole } from './contract-labels.ts'
import { exchangeLegs } from './exchange-legs.ts'
import type { Leg, Part, Remainder } from './legs.ts'
import { asStake, protocolIn, type Scene } from './scene.ts'
import { toldActions } from './told-actions.ts'

/** This many recipients of the same amount of one token in one transaction are an unrequested distribution. */
const MASS_RECIPIENTS = 10

type Step = (scene: Scene, rest: Remainder, done: readonly Leg[]) => Leg[]

/**
 * Legs of everything that no protocol explains. `earlier`: the legs that a protocol explains. Nothing is left
 * afterwards.
 */
export function plainLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): Leg[] {
  const done = [...earlier]
  const unwanted = [...selfLegs(scene, rest), ...spamLegs(scene, rest), ...refundLegs(scene, rest)]
  const gainLegs = gainLegsOf(rest.all())
  rest.settle()
  const steps: readonly Step[] = [
    ...[bridgeLegs, toldLegs, exchangeLegs, claimLegs, takenLegs],
    ...[gainLegs, receivedLegs, givenLegs],
  ]
  for (const step of steps) done.push(...step(scene, rest, done))
  return [...unwanted, ...done.slice(earlier.length)]
}

function selfLegs({ wallet }: Scene, rest: Remainder): Leg[] {
  const parts = rest.take(({ counterparty }) => counterparty === wallet)
  return parts.length > 0 ? [legOf('SELFTRANSFER', 'move', null, parts)] : []
}

/** Bait that the wallet did not ask for. Instruments of a row are never bait, whatever their name. */
function spamLegs(scene: Scene, rest: Remainder): Leg[] {
  const { book } = scene
  if (isAskedFor(scene, rest.all())) return []
  const isBait = ({ token }: Part) => token !== NATIVE && !book.instrumentOf(token) && book.isSpam(token)
  const parts = rest.take(isBait)
  return parts.length > 0 ? [legOf('SPAM', 'spam', null, parts)] : []
}

/**
 * Whether the wallet asked for what moved: it sent the transaction, gave something in a call of its own, or traded
 * through a protocol's order. Tokens that look like bait are then wanted.
 */
function isAskedFor({ tx, wallet, book, sent }: Scene, parts: readonly Part[]): boolean {
  if (tx.from === wallet) return true
  if (!parts.some(isGiven)) return false
  const isTraded = tx.to !== null && book.protocolOf(tx.to) !== undefined && parts.some(isReceived)
  return sent || isTraded
}

/** A vote's gas may be refunded. */
function refundLegs(scene: Scene, rest: Remainder): Leg[] {
  const { still } = scene.named
  const isRefund = still !== undefined && rest.all().every((part) => isReceived(part) && part.token === NATIVE)
  const refunded = isRefund ? rest.take(() => true) : []
  return still && refunded.length > 0 ? [legOf(still, 'acquire', protocolIn(scene, refunded), refunded)] : []
}

/**
 * Changes in one direction only: to or from a bridge, in a transaction with a log of a bridge, or by a function that
 * bridges.
 */
function bridgeLegs(scene: Scene, rest: Remainder): Leg[] {
  const { tx, book, named } = scene
  const parts = rest.all()
  const out = parts.some(isGiven)
  if (parts.length === 0 || (out && parts.some(isReceived))) return []
  const places = [...parts.map(({ counterparty }) => counterparty), ...(tx.to ? [tx.to] : [])]
  const bridge = [...places, ...tx.logs.map(({ address }) => address)]
    .map((address) => book.bridgeOf(address))
    .find((found) => found !== undefined)
  if (!bridge && !(out && named.bridges)) return []
  const tokens = parts.filter(({ token }) => token !== NATIVE)
  const carried = rest.take((part) => tokens.length === 0 || tokens.includes(part))
  return [legOf(out ? 'BRIDGEOUT' : 'BRIDGEIN', 'bridge', bridge ?? protocolIn(scene, carried), carried)]
}

/** What the logs of contracts call a reward and, if nothing went the other way, a deposit or a withdrawal. */
function toldLegs(scene: Scene, rest: Remainder): Leg[] {
  const toldOf = toldActions(scene)
  const rewards = rest.take((part) => isReceived(part) && toldOf(part)?.kind === 'reward')
  const legs = rewards.length > 0 ? [legOf('CLAIM', 'income', protocolIn(scene, rewards), rewards)] : []
  const parts = rest.all()
  if (parts.some(isGiven) && parts.some(isReceived)) return legs
  for (const [told, own] of Map.groupBy(parts, toldOf)) {
    if (!told) continue
    legs.push(
      legOf(
        told.type,
        'move',
        protocolIn(scene, own),
        rest.take((part) => own.includes(part)),
      ),
    )
  }
  return legs
}

/** What came from a contract that pays rewards, or by a function that claims them. */
function claimLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const parts = rest.all().filter(isReceived)
  const rewarder = rewarderIn(scene, parts)
  if (parts.length === 0 || (rewarder === undefined && !scene.named.claims)) return []
  return [legOf('CLAIM', 'income', rewarder ?? ownerOf(done), rest.take(isReceived))]
}

/** What the wallet had paid out to itself: a loan, rewards beside another action, a deposit. */
function takenLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const parts = rest.all().filter(isReceived)
  if (parts.length === 0) return []
  const { debt, back } = scene.named
  const protocol = protocolIn(scene, parts)
  if (debt === 'BORROW') return [legOf(debt, 'borrow', protocol, rest.take(isReceived))]
  const isBeside = scene.sent && done.some(({ type }) => type !== 'CLAIM')
  if (isBeside) return [legOf('CLAIM', 'income', ownerOf(done), rest.take(isReceived))]
  const taken = asStake(scene.stakes, back) ?? roleName(scene, parts, 1)
  return taken ? [legOf(taken, 'move', protocol, rest.take(isReceived))] : []
}

/**
 * Trading gains: more of a token came back than the wallet gave in one transaction. `gross`: the changes before they
 * were offset. A surplus above the given amount is not a gain.
 */
function gainLegsOf(gross: readonly Part[]): Step {
  const givenOf = (token: Part['token']) =>
    gross.reduce((sum, part) => (part.token === token && isGiven(part) ? sum - part.amountRaw : sum), 0n)
  return (scene, rest) => {
    if (!scene.sent || rest.all().some(isGiven)) return []
    const isGain = ({ token, tokenId, amountRaw }: Part) => tokenId === null && amountRaw <= givenOf(token)
    const parts = rest.take((part) => isReceived(part) && isGain(part))
    return parts.length > 0 ? [legOf('SWAP', 'income', protocolIn(scene, parts), parts)] : []
  }
}

function receivedLegs(scene: Scene, rest: Remainder): Leg[] {
  const isDropped = massDistributions(scene)
  const dropped = scene.sent ? [] : rest.take((part) => isReceived(part) && isDropped(part))
  const made = scene.sent ? rest.take((part) => isReceived(part) && part.counterparty === NATIVE) : []
  return [
    ...(dropped.length > 0 ? [legOf('AIRDROP', 'income', null, dropped)] : []),
    ...(made.length > 0 ? [legOf('MINT', 'acquire', null, made)] : []),
    ...rest.take(isReceived).map((part) => legOf('TRANSFERIN', 'acquire', null, [part])),
  ]
}

/** The types of a deposit into a contract of this role and of a withdrawal from it. */
const BY_ROLE: Readonly<Partial<Record<ContractRole, readonly [into: TransactionType, back: TransactionType]>>> = {
  lending: ['DEPOSIT', 'WITHDRAW'],
  staking: ['STAKE', 'UNSTAKE'],
  vault: ['DEPOSIT', 'WITHDRAW'],
}

/** The type by the role of the called contract, if all counterparties belong to its protocol. */
function roleName({ calls, book }: Scene, parts: readonly Part[], way: 0 | 1): TransactionType | undefined {
  for (const { to } of calls) {
    const role = book.roleOf(to)
    const isOfProtocol = ({ counterparty, token }: Part) =>
      counterparty !== token && book.protocolOf(counterparty) === book.protocolOf(to)
    if (role && BY_ROLE[role] && parts.every(isOfProtocol)) return BY_ROLE[role][way]
  }
  return undefined
}

/** The protocol that pays the wallet a reward: its contract was called, or paid directly. */
function rewarderIn({ calls, book }: Scene, parts: readonly Part[]): string | undefined {
  const paying = parts.filter(isReceived).map(({ counterparty }) => counterparty)
  return [...calls.map(({ to }) => to), ...paying]
    .map((address) => book.rewarderOf(address))
    .find((key) => key !== undefined)
}

const ownerOf = (legs: readonly Leg[]) => legs.find(({ protocol }) => protocol !== null)?.protocol ?? null

/** Whether many recipients got the same amount of the token. */
function massDistributions({ tx }: Scene): (part: Pick<Part, 'token' | 'amountRaw'>) => boolean {
  const recipients = new Map<string, Set<string>>()
  const keyOf = ({ token, amountRaw }: Pick<Part, 'token' | 'amountRaw'>) => `${token} ${amountRaw}`
  for (const transfer of tx.logs.flatMap(transfersOf)) {
    const key = keyOf(transfer)
    recipients.set(key, (recipients.get(key) ?? new Set()).add(transfer.to))
  }
  return (part) => (recipients.get(keyOf(part))?.size ?? 0) >= MASS_RECIPIENTS
}

/** Tokens given back now and paid out later: their cost passes to the payout. Native coin alone is a fee. */
function requestName({ named, stakes }: Scene, parts: readonly Part[]): TransactionType | undefined {
  if (!named.requests || parts.every(({ token }) => token === NATIVE)) return undefined
  return asStake(stakes, named.back ?? 'WITHDRAW')
}

function givenLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const { into, debt, away = 'TRANSFEROUT' } = scene.named
  const parts = rest.take(isGiven)
  if (parts.length === 0) return []
  if (done.length > 0) return parts.map((part) => legOf('EXPENSE', 'send', null, [part]))
  if (debt === 'REPAYVAULT') return [legOf(debt, 'repay', protocolIn(scene, parts), parts)]
  const put = asStake(scene.stakes, into) ?? roleName(scene, parts, 0) ?? requestName(scene, parts)
  if (put) return [legOf(put, 'move', protocolIn(scene, parts), parts)]
  return parts.map((part) => legOf(away, 'send', null, [part]))
}
