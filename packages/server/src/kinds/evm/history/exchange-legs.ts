import { NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import { transfersOf } from './changes.ts'
import type { Leg, Part, Remainder } from './legs.ts'
import { topicOf } from './log-words.ts'
import type { Debt, NamedAction } from './named-actions.ts'
import { asStake, protocolIn, type Scene } from './scene.ts'
import { toldActions } from './told-actions.ts'

/** Event of managers whose NFTs stand for liquidity: Uniswap v3 and its forks. */
const LIQUIDITY_ADDED = topicOf('IncreaseLiquidity(uint256,uint128,uint256,uint256)')

/**
 * Legs of changes in both directions. Native coin paid beside a protocol's action or a claim is its cost, and buys
 * nothing.
 */
export function exchangeLegs(scene: Scene, rest: Remainder, done: readonly Leg[]): Leg[] {
  const parts = rest.all()
  if (!parts.some(isGiven) || !parts.some(isReceived)) return []
  const { claims, debt } = scene.named
  const isFungible = parts.every(({ tokenId }) => tokenId === null)
  const mayCost = done.some(isAction) || (claims && isFungible)
  if (mayCost && parts.filter(isGiven).every(({ token }) => token === NATIVE)) return []
  const protocol = protocolIn(scene, parts)
  if (debt && isFungible) return securedLegs(debt, protocol, rest)
  const exchange = exchangeOf(scene, parts)
  if (exchange.into && !exchange.made) return [legOf(exchange.into, 'move', protocol, rest.take(isGiven))]
  const share = wrapName(parts, exchange) ?? asStake(scene.stakes, shareName(exchange))
  const all = rest.take(() => true)
  return [share ? legOf(share, 'move', protocol, all) : legOf(tradeName(exchange), 'swap', protocol, all)]
}

/** A wrap changes the coin's form, and costs nothing. */
const isAction = ({ type, protocol }: Leg) => protocol !== null || (type !== 'WRAP' && type !== 'UNWRAP')

/** Collateral goes in and a loan comes out, or the other way round. */
function securedLegs(debt: Debt, protocol: string | null, rest: Remainder): Leg[] {
  const [out, back] = debt === 'BORROW' ? (['move', 'borrow'] as const) : (['repay', 'move'] as const)
  return [legOf(debt, out, protocol, rest.take(isGiven)), legOf(debt, back, protocol, rest.take(isReceived))]
}

type Exchange = Pick<NamedAction, 'into' | 'back' | 'migrates' | 'trades'> & {
  /** Whether the wallet sent it. A spender by allowance does not turn the tokens into a share. */
  sent: boolean
  /** `made`: everything received was minted. `ended`: everything given was burned. */
  made: boolean
  ended: boolean
  isFungible: boolean
  /** NFTs were given for tokens. */
  isTicket: boolean
}

function exchangeOf(scene: Scene, parts: readonly Part[]): Exchange {
  const { named } = scene
  const given = parts.filter(isGiven)
  const received = parts.filter(isReceived)
  const isNewOrEnded = newOrEnded(scene)
  const isFungible = parts.every(({ tokenId }) => tokenId === null)
  const trades = named.trades || (isFungible && isRouted(scene, parts))
  return {
    ...named,
    trades,
    sent: scene.sent,
    into: trades ? undefined : (asStake(scene.stakes, named.into) ?? intoOf(scene, given, received)),
    made: received.every(isNewOrEnded),
    ended: given.every(isNewOrEnded),
    isFungible,
    isTicket: given.every(({ tokenId }) => tokenId !== null) && received.every(({ tokenId }) => tokenId === null),
  }
}

/**
 * A router of exchanges mints no shares but its own: other minted tokens were bought, unless the name of the function
 * says otherwise.
 */
function isRouted({ calls, book, named }: Scene, parts: readonly Part[]): boolean {
  if (named.into || named.back || named.migrates) return false
  return calls.some(({ to }) => book.roleOf(to) === 'exchange' && parts.every(({ token }) => token !== to))
}

/** An NFT wrap: one NFT went into the contract that minted the other. An unwrap is the reverse. */
function wrapName(parts: readonly Part[], { sent, made, ended, trades }: Exchange): TransactionType | undefined {
  if (!sent || trades || parts.some(({ tokenId }) => tokenId === null)) return undefined
  const isKeptBy = (one: Part, other: Part) => one.counterparty === other.token && one.token !== other.token
  const pairs = parts
    .filter(isGiven)
    .flatMap((given) => parts.filter(isReceived).map((received) => ({ given, received })))
  if (made && pairs.every(({ given, received }) => isKeptBy(given, received))) return 'WRAP'
  return ended && pairs.every(({ given, received }) => isKeptBy(received, given)) ? 'UNWRAP' : undefined
}

/** The type of a deposit, as the logs of contracts show it. */
function intoOf(scene: Scene, given: readonly Part[], received: readonly Part[]): TransactionType | undefined {
  const isLiquidity = ({ token, tokenId }: Part) =>
    tokenId !== null && scene.tx.logs.some(({ address, topics }) => address === token && topics[0] === LIQUIDITY_ADDED)
  if (received.some(isLiquidity)) return 'ADDLIQUIDITY'
  return given.map(toldActions(scene)).find((told) => told !== undefined)?.type
}

/**
 * The type if the minted tokens are a share of what was put in, or the burned ones of what was taken out; undefined for
 * a trade.
 */
function shareName(exchange: Exchange): TransactionType | undefined {
  const { sent, into, back, migrates, trades, made, ended } = exchange
  if (!sent || trades) return undefined
  if (migrates) return into ?? back ?? 'SWAP'
  if (made) return into ?? back ?? madeName(exchange)
  if (ended) return back ?? endedName(exchange)
  return back === 'WITHDRAW' ? undefined : back
}

function madeName({ isFungible, ended }: Exchange): TransactionType | undefined {
  if (!isFungible) return undefined
  return ended ? 'SWAP' : 'DEPOSIT'
}

/** An NFT burned for tokens is the ticket of an earlier withdrawal request. */
const endedName = ({ isFungible, isTicket }: Exchange) => (isFungible || isTicket ? 'WITHDRAW' : undefined)

/**
 * Returns whether a part's units were minted or burned in the transaction. The wallet's own transfer starts or ends at the zero
 * address or at the token's contract, or a router's transfer of the same amount starts or ends at the zero address.
 */
function newOrEnded({ tx, book }: Scene): (part: Part) => boolean {
  const transfers = tx.logs.flatMap(transfersOf)
  return (part) => {
    const { token, counterparty, amountRaw } = part
    if (token === NATIVE || token === book.wrappedNative) return false
    if (counterparty === NATIVE || counterparty === token) return true
    const nobody = isGiven(part) ? 'to' : 'from'
    const size = amountRaw < 0n ? -amountRaw : amountRaw
    return transfers.some((one) => one.token === token && one[nobody] === NATIVE && one.amountRaw === size)
  }
}

const tradeName = ({ made, trades }: Exchange) => (made && !trades ? 'MINT' : 'SWAP')
