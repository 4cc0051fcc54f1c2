import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Call, TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived, magnitude } from '../../legs.ts'
import { type Leg, type Part, type TokenTransfer, transfersOf } from './changes.ts'
import type { ContractRole } from './contract-labels.ts'
import { topicOf, wordsOf } from './log-words.ts'
import { asStake, isStaking, type Scene } from './scene.ts'
import { isEntryPoint } from './user-operations.ts'

/** `parts`: not taken by earlier rules. */
type Left = { parts: readonly Part[]; gross: readonly Part[]; done: readonly Leg[] }

export type Facts = Scene &
  LogFacts &
  Left & { given: readonly Part[]; received: readonly Part[]; exchange(): Exchange }

/** The same for all rules of a transaction. */
export type LogFacts = { logged(part: Part): LoggedAction | undefined; isMassDistributed(part: Part): boolean }

export function logFactsOf(scene: Scene): LogFacts {
  const logged = lazily(() => oncePerPart(loggedActions(scene)))
  const isMassDistributed = lazily(() => massDistributions(scene))
  return { logged: (part) => logged()(part), isMassDistributed: (part) => isMassDistributed()(part) }
}

export function factsOf(known: Scene & LogFacts, left: Left): Facts {
  const { parts } = left
  const facts: Facts = {
    ...known,
    ...left,
    given: parts.filter(isGiven),
    received: parts.filter(isReceived),
    exchange: lazily(() => exchangeOf(facts)),
  }
  return facts
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
export function isRequested({ tx, wallet, directory, sent, given, received }: Facts): boolean {
  if (tx.from === wallet) return true
  if (given.length === 0) return false
  return sent || (tx.to !== null && directory.protocolOf(tx.to) !== undefined && received.length > 0)
}

export function bridgeIn({ tx, directory, parts }: Facts): string | undefined {
  const places = [...parts.map(({ counterparty }) => counterparty), ...(tx.to ? [tx.to] : [])]
  return [...places, ...tx.logs.map(({ address }) => address)]
    .map((address) => directory.bridgeOf(address))
    .find((found) => found !== undefined)
}

export function rewarderIn({ calls, directory, received }: Facts): string | undefined {
  return [...calls.map(({ to }) => to), ...received.map(({ counterparty }) => counterparty)]
    .map((address) => directory.rewarderOf(address))
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
export function typeByRole(
  { calls, directory }: Facts,
  parts: readonly Part[],
  way: 0 | 1,
): TransactionType | undefined {
  for (const { to } of calls) {
    const role = directory.roleOf(to)
    const isOfProtocol = ({ counterparty, token }: Part) =>
      counterparty !== token && directory.protocolOf(counterparty) === directory.protocolOf(to)
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
  const { calls, directory, parts, given, received, named, stakes } = facts
  const isNewOrEnded = newOrEnded(facts)
  const onlyFungible = parts.every(isFungible)
  const isNamed = named.into || named.back || named.migrates
  // A router mints only its own shares: other minted tokens were bought.
  const isRouted = ({ to }: Call) => directory.roleOf(to) === 'exchange' && parts.every(({ token }) => token !== to)
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
function newOrEnded({ tx, directory }: Scene): (part: Part) => boolean {
  const transfers = lazily(() => tx.logs.flatMap(transfersOf))
  return (part) => {
    const { token, counterparty } = part
    if (token === NATIVE || token === directory.wrappedNative) return false
    if (counterparty === NATIVE || counterparty === token) return true
    const zeroSide = isGiven(part) ? 'to' : 'from'
    const isSame = ({ amountRaw }: TokenTransfer) => amountRaw === magnitude(part)
    return transfers().some((one) => one.token === token && one[zeroSide] === NATIVE && isSame(one))
  }
}

export function isNftWrap(taken: readonly Part[], minted: readonly Part[]): boolean {
  return taken.every((one) => minted.every((other) => one.counterparty === other.token && one.token !== other.token))
}

type LoggedAction = { kind: 'into' | 'back' | 'reward'; type: TransactionType }

const DEPOSITED: LoggedAction = { kind: 'into', type: 'DEPOSIT' }
const STAKED: LoggedAction = { kind: 'into', type: 'STAKE' }
const UNSTAKED: LoggedAction = { kind: 'back', type: 'UNSTAKE' }
const WITHDRAWN: LoggedAction = { kind: 'back', type: 'WITHDRAW' }
const REWARDED: LoggedAction = { kind: 'reward', type: 'CLAIM' }
const OF_STAKES: ReadonlyMap<LoggedAction, LoggedAction> = new Map([
  [DEPOSITED, STAKED],
  [WITHDRAWN, UNSTAKED],
])

const EVENTS: readonly (readonly [LoggedAction, ...string[]])[] = [
  [DEPOSITED, 'Deposit(address,uint256)', 'Deposited(address,uint256)', 'Deposited(address,uint256,uint256)'],
  [STAKED, 'Stake(address,uint256)', 'Staked(address,uint256)', 'Staked(address,uint256,uint256)'],
  [STAKED, 'Staked(address,address,uint256)', 'Staked(address,uint256,uint256,bytes)', 'Locked(address,uint256)'],
  // Vote lockers of Convex, Curve and forks.
  [STAKED, 'Staked(address,uint256,uint256,uint256,uint256)', 'Deposit(address,uint256,uint256,int128,uint256)'],
  // MasterChef: wallet, pool, amount.
  [STAKED, 'Deposit(address,uint256,uint256)', 'Deposit(address,uint256,uint256,address)'],
  [UNSTAKED, 'Unstake(address,uint256)', 'Unstaked(address,uint256)', 'Unstaked(address,uint256,uint256)'],
  [UNSTAKED, 'Withdraw(address,uint256,uint256)', 'Withdraw(address,uint256,uint256,address)'],
  [UNSTAKED, 'EmergencyWithdraw(address,uint256,uint256)', 'EmergencyWithdraw(address,uint256,uint256,address)'],
  [UNSTAKED, 'Withdrawn(address,uint256)', 'Withdrawn(address,uint256,uint256)', 'Withdrawn(address,uint256,bool)'],
  [
    UNSTAKED,
    'Unstaked(address,address,uint256)',
    'Unstaked(address,uint256,uint256,bytes)',
    'Unlocked(address,uint256)',
  ],
  [WITHDRAWN, 'Withdraw(address,uint256)', 'Withdrawal(address,uint256)'],
  [REWARDED, 'RewardPaid(address,uint256)', 'RewardsPaid(address,uint256)', 'RewardPaid(address,address,uint256)'],
  [REWARDED, 'RewardClaimed(address,uint256)', 'RewardClaimed(address,address,uint256)'],
  [REWARDED, 'RewardsClaimed(address,uint256)', 'RewardsClaimed(address,address,uint256)'],
  [REWARDED, 'ClaimRewards(address,uint256)', 'ClaimRewards(address,uint256,address)'],
  [REWARDED, 'ClaimRewards(address,address,uint256)'],
  [REWARDED, 'ClaimRewardsNft(address,uint256,uint256,uint256)'],
  [REWARDED, 'ClaimedReward(address,address,uint256)', 'Harvest(address,uint256)', 'Harvest(address,uint256,uint256)'],
  [REWARDED, 'HasClaimed(address,uint256)', 'AirdropClaimed(address,uint256)', 'TokensClaimed(address,uint256)'],
  [REWARDED, 'Claimed(address,address,uint256)', 'Claimed(address,uint256,uint256)', 'Claim(uint256,address,uint256)'],
  [REWARDED, 'Claim(address,uint256)', 'Claimed(address,uint256)', 'Claimed(uint256,address,uint256)'],
]
const BY_TOPIC: ReadonlyMap<string, LoggedAction> = new Map(
  EVENTS.flatMap(([action, ...events]) => events.map((event) => [topicOf(event), action] as const)),
)

/**
 * Untrusted events with the exact amount. One of zero is a reward. Deposits at entry points prepay gas. In transactions
 * of others only rewards count: a spender by allowance could log a stake.
 */
function loggedActions(scene: Scene): (part: Part) => LoggedAction | undefined {
  const { tx, wallet, directory, sent } = scene
  const saying = tx.logs.flatMap((log) => {
    const action = log.topics[0] && BY_TOPIC.get(log.topics[0])
    const isOther = log.address === directory.wrappedNative || isEntryPoint(log.address)
    return action && !isOther && (sent || action.kind === 'reward')
      ? [{ action, by: log.address, words: wordsOf(log) }]
      : []
  })
  const named = saying.filter(({ words }) => words.includes(BigInt(wallet)))
  return (part) => {
    const paid = ({ action, by }: { action: LoggedAction; by: EvmAddress }) =>
      (action.kind === 'into') === part.amountRaw < 0n && [by, part.token, NATIVE].includes(part.counterparty)
    const found = named.find((one) => one.words.includes(magnitude(part)) && paid(one))
    const isHarvest = part.amountRaw > 0n && named.some((one) => isEmpty(one) && paid({ ...one, action: REWARDED }))
    if (!found && isHarvest) return REWARDED
    return found && ((isStaking(found.by, scene) && OF_STAKES.get(found.action)) || found.action)
  }
}

const isEmpty = ({ action, words }: { action: LoggedAction; words: readonly bigint[] }) =>
  action.kind !== 'reward' && words.at(-1) === 0n
