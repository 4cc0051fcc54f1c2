import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import type { LogContext, Step } from '../../history/family-history.ts'
import { addressTopic, topicOf, word } from '../../history/log-words.ts'

/** Of a minipool: receiver; coin, time. */
const MINIPOOL_PAID = topicOf('EtherWithdrawn(address,uint256,uint256)')
/** Of a minipool that had eight coins or more: caller; the node's part, the others', both, time. */
const CAPITAL_SHARED = topicOf('EtherWithdrawalProcessed(address,uint256,uint256,uint256,uint256)')
/** Of a minipool and of rETH: who brought it; coin, time. */
const GOT = topicOf('EtherDeposited(address,uint256,uint256)')
/** Of a manager of minipools: minipool, node; time. */
const MINIPOOL_CREATED = topicOf('MinipoolCreated(address,address,uint256)')
/** Of a megapool: the node's part, those of voters, rETH and the protocol, time. */
const REWARDS_SHARED = topicOf('RewardsDistributed(uint256,uint256,uint256,uint256,uint256)')
/** Of a megapool: coin, time. The coin goes to the node's withdrawal address, which no log names. */
const MEGAPOOL_PAID = topicOf('RewardsClaimed(uint256,uint256)')
/** Of the node deposits until now and of the deposit pool: payer; coin, time. */
const DEPOSITED = topicOf('DepositReceived(address,uint256,uint256)')

type Scene = { log: ReceiptLog; wallet: EvmAddress; context: LogContext }

/** A contract of one node: a minipool at its making, both where they pay. */
export function nodePoolIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic] = log.topics
  if (topic === MINIPOOL_CREATED) return addressTopic(log, 1)
  return topic === MINIPOOL_PAID || topic === MEGAPOOL_PAID ? log.address : undefined
}

/** What contracts of nodes log of themselves. */
export const NODE_POOL_READINGS = [
  [MINIPOOL_PAID, minipoolPaid],
  [MEGAPOOL_PAID, megapoolPaid],
  [GOT, minipoolBonded],
] as const

/** The minipool that was made for the wallet. */
export function minipoolFor(wallet: EvmAddress, logs: readonly ReceiptLog[]): EvmAddress | undefined {
  const made = logs.find((log) => log.topics[0] === MINIPOOL_CREATED && addressTopic(log, 2) === wallet)
  return made && addressTopic(made, 1)
}

/**
 * A minipool pays all that is kept for the node: its part of capital, as it says, and what came before, which are rewards. Of
 * less than eight coins it says nothing, but rETH names it for the others' part: these are rewards. Without either it is a refund
 * of what someone else distributed, or all of a minipool that was dissolved.
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

/** A megapool pays the rewards that it has just distributed, and what was kept for the node: bonds that came back, above all. */
function megapoolPaid({ log, context }: Scene): Step[] {
  const paid = word(log, 0)
  if (paid === undefined) return []
  const rewards = sinceLast(log, context)
    .filter((one) => one.address === log.address && one.topics[0] === REWARDS_SHARED)
    .reduce((sum, one) => sum + (word(one, 0) ?? 0n), 0n)
  return payment(log, paid, paid - rewards)
}

/** Of node deposits that the storage named before: the minipool that was made tells which one brought the wallet's coin. */
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

/** Capital first: what of it is more than went in is income in the books. */
function payment({ address }: ReceiptLog, paid: bigint, capital: bigint): Step[] {
  const most = capital < paid ? capital : paid
  const amountRaw = most > 0n ? most : 0n
  const position = { contract: address, id: 0n }
  return [
    { kind: 'take', purpose: 'stake', position, token: NATIVE, amountRaw },
    { kind: 'claim', token: NATIVE, amountRaw: paid - amountRaw },
  ]
}

/** What was logged since the contract paid before in the same transaction. */
function sinceLast({ address, topics }: ReceiptLog, { earlier }: LogContext): readonly ReceiptLog[] {
  const before = earlier()
  return before.slice(before.findLastIndex((one) => one.address === address && one.topics[0] === topics[0]) + 1)
}
