import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { magnitude } from '../../legs.ts'
import type { Part } from './changes.ts'
import { topicOf, wordsOf } from './log-words.ts'
import { isStaking, type Scene } from './scene.ts'
import { isEntryPoint } from './user-operations.ts'

export type LoggedAction = { kind: 'into' | 'back' | 'reward'; type: TransactionType }

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
export function loggedActions({ tx, wallet, book, sent }: Scene): (part: Part) => LoggedAction | undefined {
  const saying = tx.logs.flatMap((log) => {
    const action = log.topics[0] && BY_TOPIC.get(log.topics[0])
    const isOther = log.address === book.wrappedNative || isEntryPoint(log.address)
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
    return found && ((isStaking(found.by, tx, wallet, book) && OF_STAKES.get(found.action)) || found.action)
  }
}

const isEmpty = ({ action, words }: { action: LoggedAction; words: readonly bigint[] }) =>
  action.kind !== 'reward' && words.at(-1) === 0n
