import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../history/changes.ts'
import type { NftStep } from '../../history/family-history.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../history/log-words.ts'

type Amounts = readonly [amount0: bigint, amount1: bigint]

/** By event the word at which its amounts begin: Algebra's says the liquidity twice. */
const INCREASES: ReadonlyMap<string | undefined, number> = new Map([
  [topicOf('IncreaseLiquidity(uint256,uint128,uint256,uint256)'), 1],
  [topicOf('IncreaseLiquidity(uint256,uint128,uint128,uint256,uint256,address)'), 2],
])
const DECREASE = topicOf('DecreaseLiquidity(uint256,uint128,uint256,uint256)')
const COLLECT = topicOf('Collect(uint256,address,uint256,uint256)')
const POOL_MINT = topicOf('Mint(address,address,int24,int24,uint128,uint256,uint256)')
/** Of later pools by Algebra with what their plugin keeps. */
const POOL_BURNS = [
  topicOf('Burn(address,int24,int24,uint128,uint256,uint256)'),
  topicOf('Burn(address,int24,int24,uint128,uint256,uint256,uint24)'),
]
const POOL_COLLECT = topicOf('Collect(address,address,int24,int24,uint128,uint128)')

const NONE: Amounts = [0n, 0n]

type Terms = {
  /** Contracts that keep NFTs for wallets, and through which they pay and are paid. */
  agents?: readonly EvmAddress[]
  /** Whether pools log it when fees are brought up to date, although no liquidity is taken out. */
  logsUpdates?: boolean
}

/** What logs say of the manager's NFTs. Its events have the amounts paid in and out; the pool's events lead to the tokens. */
export function v3NftSteps(
  logs: readonly ReceiptLog[],
  manager: EvmAddress,
  { agents = [], logsUpdates = true }: Terms = {},
): NftStep[] {
  const ids = new Set(
    logs.flatMap((log) => (log.address === manager && eventOf(log) ? (numberTopic(log, 1) ?? []) : [])),
  )
  return [...ids].map((tokenId) => {
    const step = nftStep(logs, manager, { tokenId, logsUpdates })
    return { ...step, payers: [...step.payers, ...agents] }
  })
}

function nftStep(
  logs: readonly ReceiptLog[],
  manager: EvmAddress,
  { tokenId, logsUpdates }: { tokenId: bigint; logsUpdates: boolean },
): NftStep {
  const own = logs.filter((log) => log.address === manager && numberTopic(log, 1) === tokenId)
  const amountsOf = (topic: string, place: number) =>
    own.filter(({ topics }) => topics[0] === topic).reduce((sum, log) => plus(sum, amountsAt(log, place)), NONE)
  const put = own.reduce((sum, log) => plus(sum, putBy(log)), NONE)
  const removed = amountsOf(DECREASE, 1)
  const collected = amountsOf(COLLECT, 1)
  const reduced = own.some(({ topics }) => topics[0] === DECREASE)
  const collect = own.find(({ topics }) => topics[0] === COLLECT)
  // The manager asks a pool to update fees before it collects, unless no liquidity is left there. It then collects what
  // an earlier transaction took out. Where no log tells, that is known of an NFT that ends here.
  const drained =
    !reduced &&
    collect !== undefined &&
    (logsUpdates ? poolEventBefore(logs, collect, manager, POOL_BURNS) === undefined : isEnded(logs, manager, tokenId))
  const principal = drained ? collected : least(removed, collected)
  const pool = poolOf(logs, own, manager)
  const tokens = pool === undefined ? [] : tokensOf(logs, pool, [put, collected])
  return {
    manager,
    tokenId,
    payers: pool === undefined ? [manager] : [pool, manager],
    put: named(tokens, put),
    principal: named(tokens, principal),
    fees: named(tokens, minus(collected, principal)),
    reduced,
  }
}

const eventOf = ({ topics: [topic] }: ReceiptLog) => INCREASES.has(topic) || topic === DECREASE || topic === COLLECT

function putBy(log: ReceiptLog): Amounts {
  const place = INCREASES.get(log.topics[0])
  return place === undefined ? NONE : amountsAt(log, place)
}

/** Managers burn only NFTs that have nothing left. */
const isEnded = (logs: readonly ReceiptLog[], manager: EvmAddress, tokenId: bigint) =>
  logs.flatMap(transfersOf).some((sent) => sent.token === manager && sent.tokenId === tokenId && sent.to === NATIVE)

function amountsAt(log: ReceiptLog, place: number): Amounts {
  return [word(log, place) ?? 0n, word(log, place + 1) ?? 0n]
}

/** The pool that logged an event for the manager before one of the NFT's events. */
function poolOf(logs: readonly ReceiptLog[], own: readonly ReceiptLog[], manager: EvmAddress): EvmAddress | undefined {
  const events = own.filter(eventOf)
  const before = events.map((log) => poolEventBefore(logs, log, manager, [POOL_MINT, ...POOL_BURNS, POOL_COLLECT]))
  return before.find((log) => log !== undefined)?.address
}

/**
 * The last of these events of a pool about the manager's liquidity, after the manager's previous event and before this
 * one.
 */
function poolEventBefore(
  logs: readonly ReceiptLog[],
  event: ReceiptLog,
  manager: EvmAddress,
  topics: readonly string[],
): ReceiptLog | undefined {
  const earlier = logs.slice(0, logs.indexOf(event))
  const since = earlier.findLastIndex((log) => log.address === manager && eventOf(log))
  return earlier.slice(since + 1).findLast((log) => topics.includes(log.topics[0] ?? '') && ownerOf(log) === manager)
}

/** All these events of a pool have the owner as their first topic; `Mint` has the sender in its data. */
const ownerOf = (log: ReceiptLog) => addressTopic(log, 1)

/** The pool's tokens in its order, the smaller address first. A token that did not move leaves a gap. */
function tokensOf(
  logs: readonly ReceiptLog[],
  pool: EvmAddress,
  amounts: readonly Amounts[],
): readonly (EvmAddress | undefined)[] {
  const moved = logs
    .flatMap(transfersOf)
    .filter(({ from, to, tokenId }) => tokenId === null && (from === pool || to === pool))
  const tokens = [...new Set(moved.map(({ token }) => token))].sort()
  if (tokens.length !== 1) return tokens
  return amounts.some(([amount0]) => amount0 > 0n) ? tokens : [undefined, ...tokens]
}

function named(tokens: readonly (EvmAddress | undefined)[], amounts: Amounts): TokenAmount[] {
  return amounts.flatMap((amountRaw, i) => {
    const token = tokens[i]
    return token !== undefined && amountRaw > 0n ? [{ token, amountRaw }] : []
  })
}

const plus = (a: Amounts, b: Amounts): Amounts => [a[0] + b[0], a[1] + b[1]]
const minus = (a: Amounts, b: Amounts): Amounts => [a[0] - b[0], a[1] - b[1]]
const least = (a: Amounts, b: Amounts): Amounts => minus(a, above(a, b))
/** The part of the first amounts that exceeds the second. */
const above = (a: Amounts, b: Amounts): Amounts => [a[0] > b[0] ? a[0] - b[0] : 0n, a[1] > b[1] ? a[1] - b[1] : 0n]
