import { NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived } from '../../legs.ts'
import { lazily } from '../../naming.ts'
import { transfersOf } from './changes.ts'
import type { ContractRole } from './contract-labels.ts'
import type { Leg, Part } from './legs.ts'
import { topicOf } from './log-words.ts'
import { type LoggedAction, loggedActions } from './logged-actions.ts'
import { asStake, type Scene } from './scene.ts'

/** The facts that rules decide by: the transaction, the changes that no earlier rule took, and the earlier legs. */
export type Facts = Scene & {
  parts: readonly Part[]
  given: readonly Part[]
  received: readonly Part[]
  /** The changes before received and given amounts of a token were offset. */
  gross: readonly Part[]
  done: readonly Leg[]
  logged(part: Part): LoggedAction | undefined
  /** Many recipients got the same amount of the token. */
  isMassDistributed(part: Part): boolean
  exchange(): Exchange
}

/** Facts of one transaction, by the changes that are left and the legs so far. */
export function createFacts(scene: Scene): (rest: Pick<Facts, 'parts' | 'gross' | 'done'>) => Facts {
  const logged = lazily(() => loggedActions(scene))
  const isMassDistributed = lazily(() => massDistributions(scene))
  return (rest) => {
    const given = rest.parts.filter(isGiven)
    const received = rest.parts.filter(isReceived)
    const facts: Facts = {
      ...scene,
      ...rest,
      given,
      received,
      logged: (part) => logged()(part),
      isMassDistributed: (part) => isMassDistributed()(part),
      exchange: lazily(() => exchangeOf(facts)),
    }
    return facts
  }
}

export const isNative = ({ token }: Part): boolean => token === NATIVE
export const isFungible = ({ tokenId }: Part): boolean => tokenId === null

/** The wallet sent the transaction, gave something in a call of its own, or traded through a protocol's order. */
export function isRequested({ tx, wallet, book, sent, given, received }: Facts): boolean {
  if (tx.from === wallet) return true
  if (given.length === 0) return false
  return sent || (tx.to !== null && book.protocolOf(tx.to) !== undefined && received.length > 0)
}

export function isBait({ book }: Facts, { token }: Part): boolean {
  return token !== NATIVE && !book.protocolContractOf(token) && book.isSpam(token)
}

/** A bridge that gave or took the tokens, was called, or logged. */
export function bridgeIn({ tx, book, parts }: Facts): string | undefined {
  const places = [...parts.map(({ counterparty }) => counterparty), ...(tx.to ? [tx.to] : [])]
  return [...places, ...tx.logs.map(({ address }) => address)]
    .map((address) => book.bridgeOf(address))
    .find((found) => found !== undefined)
}

/** The protocol whose reward contract was called, or paid the wallet directly. */
export function rewarderIn({ calls, book, received }: Facts): string | undefined {
  return [...calls.map(({ to }) => to), ...received.map(({ counterparty }) => counterparty)]
    .map((address) => book.rewarderOf(address))
    .find((key) => key !== undefined)
}

export const ownerOf = ({ done }: Facts): string | null =>
  done.find(({ protocol }) => protocol !== null)?.protocol ?? null

/** The types of a deposit into a contract of this role and of a withdrawal from it. */
const BY_ROLE: Readonly<Partial<Record<ContractRole, readonly [into: TransactionType, back: TransactionType]>>> = {
  lending: ['DEPOSIT', 'WITHDRAW'],
  staking: ['STAKE', 'UNSTAKE'],
  vault: ['DEPOSIT', 'WITHDRAW'],
}

/** The type by the role of the called contract, if all counterparties belong to its protocol. */
export function typeByRole({ calls, book }: Facts, parts: readonly Part[], way: 0 | 1): TransactionType | undefined {
  for (const { to } of calls) {
    const role = book.roleOf(to)
    const isOfProtocol = ({ counterparty, token }: Part) =>
      counterparty !== token && book.protocolOf(counterparty) === book.protocolOf(to)
    if (role && BY_ROLE[role] && parts.every(isOfProtocol)) return BY_ROLE[role][way]
  }
  return undefined
}

/** More of a token came back than the wallet gave. A surplus above the given amount is not a gain. */
export function isGain({ gross }: Facts, { token, tokenId, amountRaw }: Part): boolean {
  const givenRaw = gross.reduce((sum, part) => (part.token === token && isGiven(part) ? sum - part.amountRaw : sum), 0n)
  return tokenId === null && amountRaw <= givenRaw
}

const MASS_RECIPIENTS = 10

function massDistributions({ tx }: Scene): (part: Pick<Part, 'token' | 'amountRaw'>) => boolean {
  const keyOf = ({ token, amountRaw }: Pick<Part, 'token' | 'amountRaw'>) => `${token} ${amountRaw}`
  const transfers = Map.groupBy(tx.logs.flatMap(transfersOf), keyOf)
  return (part) => new Set(transfers.get(keyOf(part))?.map(({ to }) => to)).size >= MASS_RECIPIENTS
}

/** Facts of changes in both directions. */
export type Exchange = {
  /** The type as a deposit; `undefined` for a trade. */
  into: TransactionType | undefined
  /** A trade by the called function or contract: what is received is no share of what was given. */
  trades: boolean
  /** Everything received was minted. */
  made: boolean
  /** Everything given was burned. */
  ended: boolean
  isFungible: boolean
  /** NFTs were given for tokens. */
  isTicket: boolean
}

function exchangeOf(facts: Facts): Exchange {
  const { parts, given, received, named, stakes } = facts
  const isNewOrEnded = newOrEnded(facts)
  const onlyFungible = parts.every(isFungible)
  const trades = named.trades || (onlyFungible && isRouted(facts))
  return {
    trades,
    into: trades ? undefined : (asStake(stakes, named.into) ?? loggedDeposit(facts)),
    made: received.every(isNewOrEnded),
    ended: given.every(isNewOrEnded),
    isFungible: onlyFungible,
    isTicket: !given.some(isFungible) && received.every(isFungible),
  }
}

/** An exchange's router mints no shares but its own: other minted tokens were bought, unless the function's name differs. */
function isRouted({ calls, book, named, parts }: Facts): boolean {
  if (named.into || named.back || named.migrates) return false
  return calls.some(({ to }) => book.roleOf(to) === 'exchange' && parts.every(({ token }) => token !== to))
}

/** Event of managers whose NFTs stand for liquidity: Uniswap v3 and its forks. */
const LIQUIDITY_ADDED = topicOf('IncreaseLiquidity(uint256,uint128,uint256,uint256)')

function loggedDeposit({ tx, given, received, logged }: Facts): TransactionType | undefined {
  const isLiquidity = ({ token, tokenId }: Part) =>
    tokenId !== null && tx.logs.some(({ address, topics }) => address === token && topics[0] === LIQUIDITY_ADDED)
  if (received.some(isLiquidity)) return 'ADDLIQUIDITY'
  return given.map(logged).find((action) => action !== undefined)?.type
}

/**
 * Tests whether a change was minted or burned: the wallet's own transfer starts or ends at the zero address or at the
 * token's contract, or a router's transfer of the same amount starts or ends at the zero address.
 */
function newOrEnded({ tx, book }: Scene): (part: Part) => boolean {
  const transfers = lazily(() => tx.logs.flatMap(transfersOf))
  return (part) => {
    const { token, counterparty, amountRaw } = part
    if (token === NATIVE || token === book.wrappedNative) return false
    if (counterparty === NATIVE || counterparty === token) return true
    const zeroSide = isGiven(part) ? 'to' : 'from'
    const size = amountRaw < 0n ? -amountRaw : amountRaw
    return transfers().some((one) => one.token === token && one[zeroSide] === NATIVE && one.amountRaw === size)
  }
}

/** One NFT went into the contract that minted the other. */
export function isNftWrap(taken: readonly Part[], minted: readonly Part[]): boolean {
  return taken.every((one) => minted.every((other) => one.counterparty === other.token && one.token !== other.token))
}
