import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment } from './adapter.ts'

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
/** Node, or payer of earlier deposits and of the deposit pool; ETH, time. */
const DEPOSITED = topicOf('DepositReceived(address,uint256,uint256)')

type Scene = Deployment & { log: ReceiptLog; wallet: EvmAddress; context: LogContext }
type Reading = (scene: Scene) => Step | readonly Step[] | undefined

function nodePoolIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic] = log.topics
  if (topic === MINIPOOL_CREATED) return addressTopic(log, 1)
  return topic === MINIPOOL_PAID || topic === MEGAPOOL_PAID ? log.address : undefined
}

function minipoolFor(wallet: EvmAddress, logs: readonly ReceiptLog[]): EvmAddress | undefined {
  const made = logs.find((log) => log.topics[0] === MINIPOOL_CREATED && addressTopic(log, 2) === wallet)
  return made && addressTopic(made, 1)
}

/**
 * Minipools below 8 ETH log no capital: a log of rETH marks rewards. Otherwise all is capital: a refund, or a dissolved
 * minipool.
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

/** Older node deposits: the created minipool received the wallet's ETH. */
function minipoolBonded({ log, wallet, context }: Scene): Step | undefined {
  const around = [...context.earlier(), ...context.later()]
  if (minipoolFor(wallet, around) !== log.address) return undefined
  const by = addressTopic(log, 1)
  const isPaid = (one: ReceiptLog) =>
    one.address === by && one.topics[0] === DEPOSITED && addressTopic(one, 1) === wallet
  const paid = around.find(isPaid)
  const amountRaw = paid && word(paid, 0)
  if (amountRaw === undefined) return undefined
  return { kind: 'put', purpose: 'stake', position: keyOf(log.address), token: NATIVE, amountRaw }
}

/** Capital above the amount put in becomes income in the accounting. */
function payment({ address }: ReceiptLog, paid: bigint, capital: bigint): Step[] {
  const most = capital < paid ? capital : paid
  const amountRaw = most > 0n ? most : 0n
  return [
    { kind: 'take', purpose: 'stake', position: keyOf(address), token: NATIVE, amountRaw },
    { kind: 'claim', token: NATIVE, amountRaw: paid - amountRaw },
  ]
}

function sinceLast({ address, topics }: ReceiptLog, { earlier }: LogContext): readonly ReceiptLog[] {
  const before = earlier()
  return before.slice(before.findLastIndex((one) => one.address === address && one.topics[0] === topics[0]) + 1)
}

/** Node; payer, amount, time. Before Saturn the payer alone. */
const STAKED = topicOf('RPLStaked(address,address,uint256,uint256)')
const STAKED_EARLIER = topicOf('RPLStaked(address,uint256,uint256)')
/** Node; amount, time. The first two also pay what has waited, without logging it. */
const UNSTAKED = topicOf('RPLUnstaked(address,uint256,uint256)')
const UNSTAKED_LEGACY = topicOf('RPLLegacyUnstaked(address,uint256,uint256)')
const WITHDRAWN = topicOf('RPLWithdrawn(address,uint256,uint256)')
/** Node; number of validators, ETH, time. */
const DEPOSITED_SEVERAL = topicOf('MultiDepositReceived(address,uint256,uint256,uint256)')
/** Node, payer; ETH, time. */
const DEPOSITED_FOR = topicOf('DepositFor(address,address,uint256,uint256)')
/** Node, receiver; ETH, time. */
const BALANCE_PAID = topicOf('Withdrawal(address,address,uint256,uint256)')
/** Node; ETH, time. Paid to the node's withdrawal address. */
const UNCLAIMED_PAID = topicOf('NodeUnclaimedRewardsClaimed(address,uint256,uint256)')
const ENQUEUED = topicOf('MegapoolValidatorEnqueued(uint256,uint256)')

/** RPL and deposited ETH belong to the storage's position; bonds to their megapool or minipool. */
export function rocketPoolHistory({ store, rpl }: Deployment): ProtocolHistory {
  return {
    purposes: {},
    contracts: [store],
    leadsTo: nodePoolIn,
    step: (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.({ log, wallet, context, store, rpl }),
  }
}

const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  [STAKED, (scene) => putBy(scene, addressWord(scene.log, 0), scene.rpl, word(scene.log, 1))],
  [STAKED_EARLIER, (scene) => putBy(scene, addressTopic(scene.log, 1), scene.rpl, word(scene.log, 0))],
  [UNSTAKED, paidOut],
  [UNSTAKED_LEGACY, paidOut],
  [WITHDRAWN, paidOut],
  [DEPOSITED, (scene) => bonded(scene, word(scene.log, 0))],
  [DEPOSITED_SEVERAL, (scene) => bonded(scene, word(scene.log, 1))],
  [DEPOSITED_FOR, (scene) => putBy(scene, addressTopic(scene.log, 2), NATIVE, word(scene.log, 0))],
  [BALANCE_PAID, balancePaid],
  [UNCLAIMED_PAID, ({ log }) => ({ kind: 'claim', token: NATIVE, amountRaw: word(log, 0) ?? 0n })],
  [MINIPOOL_PAID, minipoolPaid],
  [MEGAPOOL_PAID, megapoolPaid],
  [GOT, minipoolBonded],
])

const keyOf = (contract: EvmAddress): PositionKey => ({ contract, id: 0n })

function putBy(
  { log, wallet, store }: Scene,
  payer: EvmAddress | undefined,
  token: EvmAddress,
  amountRaw: bigint | undefined,
): Step | undefined {
  const node = addressTopic(log, 1)
  if (amountRaw === undefined) return undefined
  if (node === wallet) return { kind: 'put', purpose: 'stake', position: keyOf(store), token, amountRaw }
  return payer === wallet ? { kind: 'send', token, amountRaw, other: node } : undefined
}

/** Waiting RPL is paid right before. */
function paidOut({ log, wallet, store, rpl: token, context }: Scene): Step | undefined {
  if (addressTopic(log, 1) !== wallet) return undefined
  const paid = context
    .earlier()
    .flatMap(transfersOf)
    .findLast((transfer) => transfer.token === token && transfer.to === wallet)
  return paid && { kind: 'take', purpose: 'stake', position: keyOf(store), token, amountRaw: paid.amountRaw }
}

function bonded({ log, wallet, context }: Scene, amountRaw: bigint | undefined): Step | undefined {
  if (addressTopic(log, 1) !== wallet || amountRaw === undefined) return undefined
  const around = [...context.later(), ...context.earlier().toReversed()]
  const megapool = around.find(({ topics }) => topics[0] === ENQUEUED)?.address
  const position = keyOf(megapool ?? minipoolFor(wallet, around) ?? log.address)
  return { kind: 'put', purpose: 'stake', position, token: NATIVE, amountRaw }
}

function balancePaid({ log, wallet, store }: Scene): Step | undefined {
  const amountRaw = word(log, 0)
  if (addressTopic(log, 1) !== wallet || addressTopic(log, 2) !== wallet || amountRaw === undefined) return undefined
  return { kind: 'take', purpose: 'stake', position: keyOf(store), token: NATIVE, amountRaw }
}
