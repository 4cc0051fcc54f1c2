import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { NftStep } from '../../decode/protocol-history.ts'
import { min } from './v3-positions.ts'

type Amounts = readonly [amount0: bigint, amount1: bigint]

/** Word at which amounts begin: Algebra logs the liquidity twice. */
const INCREASES: ReadonlyMap<string | undefined, number> = new Map([
  [topicOf('IncreaseLiquidity(uint256,uint128,uint256,uint256)'), 1],
  [topicOf('IncreaseLiquidity(uint256,uint128,uint128,uint256,uint256,address)'), 2],
])
const DECREASE = topicOf('DecreaseLiquidity(uint256,uint128,uint256,uint256)')
const COLLECT = topicOf('Collect(uint256,address,uint256,uint256)')
const POOL_MINT = topicOf('Mint(address,address,int24,int24,uint128,uint256,uint256)')
/** Later Algebra pools log the plugin's part. */
const POOL_BURNS = [
  topicOf('Burn(address,int24,int24,uint128,uint256,uint256)'),
  topicOf('Burn(address,int24,int24,uint128,uint256,uint256,uint24)'),
]
const POOL_COLLECT = topicOf('Collect(address,address,int24,int24,uint128,uint128)')

const NONE: Amounts = [0n, 0n]

/** Pool events lead to the tokens. */
export function v3NftSteps(
  logs: readonly ReceiptLog[],
  manager: EvmAddress,
  { agents = [], logsUpdates = true }: { agents?: readonly EvmAddress[]; logsUpdates?: boolean } = {},
): NftStep[] {
  const events = logs.filter((log) => log.address === manager && isEvent(log))
  const ids = new Set(events.flatMap((log) => numberTopic(log, 1) ?? []))
  return [...ids].map((tokenId) => {
    const step = nftStep({ logs, manager }, tokenId, logsUpdates)
    return { ...step, payers: [...step.payers, ...agents] }
  })
}

type Receipt = { logs: readonly ReceiptLog[]; manager: EvmAddress }

function nftStep(receipt: Receipt, tokenId: bigint, logsUpdates: boolean): NftStep {
  const { logs, manager } = receipt
  const own = logs.filter((log) => log.address === manager && numberTopic(log, 1) === tokenId)
  const sumOf = (placeOf: (topic: string | undefined) => number | undefined) =>
    own.reduce((sum, log) => plus(sum, amountsAt(log, placeOf(log.topics[0]))), NONE)
  const put = sumOf((topic) => INCREASES.get(topic))
  const removed = sumOf((topic) => (topic === DECREASE ? 1 : undefined))
  const collected = sumOf((topic) => (topic === COLLECT ? 1 : undefined))
  const reduced = own.some(({ topics }) => topics[0] === DECREASE)
  const collect = own.find(({ topics }) => topics[0] === COLLECT)
  // Fees update before a collection, unless no liquidity is left: an earlier removal is collected, which only an NFT
  // that ends here shows.
  const drained =
    !reduced &&
    collect !== undefined &&
    (logsUpdates ? poolEventBefore(receipt, collect, POOL_BURNS) === undefined : isEnded(receipt, tokenId))
  const principal = drained ? collected : least(removed, collected)
  const pool = poolOf(receipt, own)
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

const isEvent = ({ topics: [topic] }: ReceiptLog) => INCREASES.has(topic) || topic === DECREASE || topic === COLLECT

/** Managers burn only empty NFTs. */
const isEnded = ({ logs, manager }: Receipt, tokenId: bigint) =>
  logs.flatMap(transfersOf).some((sent) => sent.token === manager && sent.tokenId === tokenId && sent.to === NATIVE)

const amountsAt = (log: ReceiptLog, place: number | undefined): Amounts =>
  place === undefined ? NONE : [word(log, place) ?? 0n, word(log, place + 1) ?? 0n]

function poolOf(receipt: Receipt, own: readonly ReceiptLog[]): EvmAddress | undefined {
  const events = own.filter(isEvent)
  const before = events.map((log) => poolEventBefore(receipt, log, [POOL_MINT, ...POOL_BURNS, POOL_COLLECT]))
  return before.find((log) => log !== undefined)?.address
}

function poolEventBefore(
  { logs, manager }: Receipt,
  event: ReceiptLog,
  topics: readonly string[],
): ReceiptLog | undefined {
  const earlier = logs.slice(0, logs.indexOf(event))
  const since = earlier.findLastIndex((log) => log.address === manager && isEvent(log))
  // The owner is the first topic, also of `Mint`, which has the sender in its data.
  const isOwn = (log: ReceiptLog) => topics.includes(log.topics[0] ?? '') && addressTopic(log, 1) === manager
  return earlier.slice(since + 1).findLast(isOwn)
}

/** Pool order: smaller address first. */
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
const least = (a: Amounts, b: Amounts): Amounts => [min(a[0], b[0]), min(a[1], b[1])]
