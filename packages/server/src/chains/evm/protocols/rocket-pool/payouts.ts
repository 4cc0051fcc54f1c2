import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, Step } from '../../decode/protocol-history.ts'

/** Minipool: receiver; ETH, time. */
const MINIPOOL_PAID = topicOf('EtherWithdrawn(address,uint256,uint256)')
/** Minipools of 8 ETH or more: caller; the node's part, the others', both, time. */
const CAPITAL_SHARED = topicOf('EtherWithdrawalProcessed(address,uint256,uint256,uint256,uint256)')
/** Minipool and rETH: sender; ETH, time. */
const GOT = topicOf('EtherDeposited(address,uint256,uint256)')
/** Minipool manager: minipool, node; time. */
const MINIPOOL_CREATED = topicOf('MinipoolCreated(address,address,uint256)')
/** Megapool: parts of node, voters, rETH and protocol; time. */
const REWARDS_SHARED = topicOf('RewardsDistributed(uint256,uint256,uint256,uint256,uint256)')
/** Megapool: ETH, time. No log names the receiver, the node's withdrawal address. */
const MEGAPOOL_PAID = topicOf('RewardsClaimed(uint256,uint256)')
/** Earlier node deposits and the deposit pool: payer; ETH, time. */
const DEPOSITED = topicOf('DepositReceived(address,uint256,uint256)')

type Scene = { log: ReceiptLog; wallet: EvmAddress; context: LogContext }

export function nodePoolIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic] = log.topics
  if (topic === MINIPOOL_CREATED) return addressTopic(log, 1)
  return topic === MINIPOOL_PAID || topic === MEGAPOOL_PAID ? log.address : undefined
}

export const NODE_POOL_READINGS = [
  [MINIPOOL_PAID, minipoolPaid],
  [MEGAPOOL_PAID, megapoolPaid],
  [GOT, minipoolBonded],
] as const

export function minipoolFor(wallet: EvmAddress, logs: readonly ReceiptLog[]): EvmAddress | undefined {
  const made = logs.find((log) => log.topics[0] === MINIPOOL_CREATED && addressTopic(log, 2) === wallet)
  return made && addressTopic(made, 1)
}

/**
 * Splits a payout into capital, as logged, and rewards. Below 8 ETH a minipool logs no capital: a log of rETH then
 * marks rewards. Otherwise all is capital: a refund, or a dissolved minipool.
 */
function minipoolPaid({ log, wallet, context }: Scene): Step[] {
  const paid = word(log, 0)
  if (paid === undefined || addressTopic(log, 1) !== wallet) return []
  const before = sinceLast(log, context)
  const shared = before.findLast((one) => one.address === log.address && one.topics[0] === CAPITAL_SHARED)
  if (shared) return payment(log, paid, word(shared, 0) ?? 0n)
  const hasShared = before.some((one) => one.topics[0] === GOT && addressTopic(one, 1) === log.address)
  return payment(log, paid, hasShared ? 0n : paid)
}

/** Beyond the rewards just distributed, a megapool mostly pays returned bonds. */
function megapoolPaid({ log, context }: Scene): Step[] {
  const paid = word(log, 0)
  if (paid === undefined) return []
  const rewards = sinceLast(log, context)
    .filter((one) => one.address === log.address && one.topics[0] === REWARDS_SHARED)
    .reduce((sum, one) => sum + (word(one, 0) ?? 0n), 0n)
  return payment(log, paid, paid - rewards)
}

/** For older node deposits: the created minipool shows which one received the wallet's ETH. */
function minipoolBonded({ log, wallet, context }: Scene): Step | undefined {
  const around = [...context.earlier(), ...context.later()]
  if (minipoolFor(wallet, around) !== log.address) return undefined
  const by = addressTopic(log, 1)
  const isPaid = (one: ReceiptLog) =>
    one.address === by && one.topics[0] === DEPOSITED && addressTopic(one, 1) === wallet
  const paid = around.find(isPaid)
  const amountRaw = paid && word(paid, 0)
  if (amountRaw === undefined) return undefined
  return { kind: 'put', purpose: 'stake', position: { contract: log.address, id: 0n }, token: NATIVE, amountRaw }
}

/** Capital above the amount put in becomes income in the accounting. */
function payment({ address }: ReceiptLog, paid: bigint, capital: bigint): Step[] {
  const most = capital < paid ? capital : paid
  const amountRaw = most > 0n ? most : 0n
  const position = { contract: address, id: 0n }
  return [
    { kind: 'take', purpose: 'stake', position, token: NATIVE, amountRaw },
    { kind: 'claim', token: NATIVE, amountRaw: paid - amountRaw },
  ]
}

function sinceLast({ address, topics }: ReceiptLog, { earlier }: LogContext): readonly ReceiptLog[] {
  const before = earlier()
  return before.slice(before.findLastIndex((one) => one.address === address && one.topics[0] === topics[0]) + 1)
}
