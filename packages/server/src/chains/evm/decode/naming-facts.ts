import { NATIVE } from '../../../domain/evm-address.ts'
import type { Call, TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived, magnitude } from '../../legs.ts'
import { type Leg, type Part, type TokenTransfer, transfersOf } from './changes.ts'
import type { ContractRole } from './contract-labels.ts'
import { topicOf } from './log-words.ts'
import { type LoggedAction, loggedActions } from './logged-actions.ts'
import { asStake, type Scene } from './scene.ts'

/** `parts`: not taken by earlier rules. */
export type Facts = Scene & {
  parts: readonly Part[]
  given: readonly Part[]
  received: readonly Part[]
  gross: readonly Part[]
  done: readonly Leg[]
  logged(part: Part): LoggedAction | undefined
  isMassDistributed(part: Part): boolean
  exchange(): Exchange
}

export function createFacts(
  scene: Scene,
): (parts: readonly Part[], gross: readonly Part[], done: readonly Leg[]) => Facts {
  const logged = lazily(() => oncePerPart(loggedActions(scene)))
  const isMassDistributed = lazily(() => massDistributions(scene))
  return (parts, gross, done) => {
    const facts: Facts = {
      ...scene,
      parts,
      gross,
      done,
      given: parts.filter(isGiven),
      received: parts.filter(isReceived),
      logged: (part) => logged()(part),
      isMassDistributed: (part) => isMassDistributed()(part),
      exchange: lazily(() => exchangeOf(facts)),
    }
    return facts
  }
}

function lazily<T>(compute: () => T): () => T {
  let known: { value: T } | undefined
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

/** Several rules ask, and anyone may log thousands of events. */
function oncePerPart<T>(compute: (part: Part) => T): (part: Part) => T {
  const known = new Map<Part, { value: T }>()
  return (part) => {
    const found = known.get(part) ?? { value: compute(part) }
    known.set(part, found)
    return found.value
  }
}

export const isNative = ({ token }: Part): boolean => token === NATIVE
export const isFungible = ({ tokenId }: Part): boolean => tokenId === null

/** The wallet sent it, gave something in its own call, or traded through a protocol's order. */
export function isRequested({ tx, wallet, book, sent, given, received }: Facts): boolean {
  if (tx.from === wallet) return true
  if (given.length === 0) return false
  return sent || (tx.to !== null && book.protocolOf(tx.to) !== undefined && received.length > 0)
}

export function bridgeIn({ tx, book, parts }: Facts): string | undefined {
  const places = [...parts.map(({ counterparty }) => counterparty), ...(tx.to ? [tx.to] : [])]
  return [...places, ...tx.logs.map(({ address }) => address)]
    .map((address) => book.bridgeOf(address))
    .find((found) => found !== undefined)
}

export function rewarderIn({ calls, book, received }: Facts): string | undefined {
  return [...calls.map(({ to }) => to), ...received.map(({ counterparty }) => counterparty)]
    .map((address) => book.rewarderOf(address))
    .find((key) => key !== undefined)
}

export const ownerOf = ({ done }: Facts): string | null =>
  done.find(({ protocol }) => protocol !== null)?.protocol ?? null

const BY_ROLE: Readonly<Partial<Record<ContractRole, readonly [into: TransactionType, back: TransactionType]>>> = {
  lending: ['DEPOSIT', 'WITHDRAW'],
  staking: ['STAKE', 'UNSTAKE'],
  vault: ['DEPOSIT', 'WITHDRAW'],
}

/** All counterparties must belong to the called contract's protocol. */
export function typeByRole({ calls, book }: Facts, parts: readonly Part[], way: 0 | 1): TransactionType | undefined {
  for (const { to } of calls) {
    const role = book.roleOf(to)
    const isOfProtocol = ({ counterparty, token }: Part) =>
      counterparty !== token && book.protocolOf(counterparty) === book.protocolOf(to)
    if (role && BY_ROLE[role] && parts.every(isOfProtocol)) return BY_ROLE[role][way]
  }
  return undefined
}

/** A surplus above the given amount is not a gain. */
export function isGain({ gross }: Facts, { token, tokenId, amountRaw }: Part): boolean {
  const givenRaw = gross.reduce((sum, part) => (part.token === token && isGiven(part) ? sum - part.amountRaw : sum), 0n)
  return tokenId === null && amountRaw <= givenRaw
}

const MASS_RECIPIENTS = 10

function massDistributions({ tx }: Scene): (part: Part) => boolean {
  const keyOf = ({ token, amountRaw }: Part | TokenTransfer) => `${token} ${amountRaw}`
  const transfers = Map.groupBy(tx.logs.flatMap(transfersOf), keyOf)
  return (part) => new Set(transfers.get(keyOf(part))?.map(({ to }) => to)).size >= MASS_RECIPIENTS
}

export type Exchange = {
  into: TransactionType | undefined
  trades: boolean
  made: boolean
  ended: boolean
  isFungible: boolean
  isTicket: boolean
}

function exchangeOf(facts: Facts): Exchange {
  const { calls, book, parts, given, received, named, stakes } = facts
  const isNewOrEnded = newOrEnded(facts)
  const onlyFungible = parts.every(isFungible)
  const isNamed = named.into || named.back || named.migrates
  // A router mints only its own shares: other minted tokens were bought.
  const isRouted = ({ to }: Call) => book.roleOf(to) === 'exchange' && parts.every(({ token }) => token !== to)
  const trades = named.trades || (onlyFungible && !isNamed && calls.some(isRouted))
  return {
    trades,
    into: trades ? undefined : (asStake(stakes, named.into) ?? loggedDeposit(facts)),
    made: received.every(isNewOrEnded),
    ended: given.every(isNewOrEnded),
    isFungible: onlyFungible,
    isTicket: !given.some(isFungible) && received.every(isFungible),
  }
}

/** Uniswap v3 and its forks. */
const LIQUIDITY_ADDED = topicOf('IncreaseLiquidity(uint256,uint128,uint256,uint256)')

function loggedDeposit({ tx, given, received, logged }: Facts): TransactionType | undefined {
  const isLiquidity = ({ token, tokenId }: Part) =>
    tokenId !== null && tx.logs.some(({ address, topics }) => address === token && topics[0] === LIQUIDITY_ADDED)
  if (received.some(isLiquidity)) return 'ADDLIQUIDITY'
  return given.map(logged).find((action) => action !== undefined)?.type
}

/** With the zero address or the token's contract, or by a router's transfer of the same amount. */
function newOrEnded({ tx, book }: Scene): (part: Part) => boolean {
  const transfers = lazily(() => tx.logs.flatMap(transfersOf))
  return (part) => {
    const { token, counterparty } = part
    if (token === NATIVE || token === book.wrappedNative) return false
    if (counterparty === NATIVE || counterparty === token) return true
    const zeroSide = isGiven(part) ? 'to' : 'from'
    const isSame = ({ amountRaw }: TokenTransfer) => amountRaw === magnitude(part)
    return transfers().some((one) => one.token === token && one[zeroSide] === NATIVE && isSame(one))
  }
}

export function isNftWrap(taken: readonly Part[], minted: readonly Part[]): boolean {
  return taken.every((one) => minted.every((other) => one.counterparty === other.token && one.token !== other.token))
}
