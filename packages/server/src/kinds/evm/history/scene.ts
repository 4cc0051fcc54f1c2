import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Call, ChainTransaction, ReceiptLog, TransactionType } from '../../../domain/transaction.ts'
import type { HistoryBook } from './book.ts'
import type { Part } from './legs.ts'
import { addressTopic, topicOf, wordsOf } from './log-words.ts'
import { type NamedAction, namedAction } from './named-actions.ts'

/** A transaction as one wallet sees it. */
export type Scene = {
  tx: ChainTransaction
  wallet: EvmAddress
  book: HistoryBook
  /** The wallet itself sent it or, where it is a contract, had it sent. */
  sent: boolean
  /** The calls that the wallet made. */
  calls: readonly Call[]
  /** What the names of these functions say. */
  named: NamedAction
  /** It called a staking contract, so that a deposit by name is a stake. */
  stakes: boolean
}

/** Of a Safe. */
const EXECUTED = topicOf('ExecutionSuccess(bytes32,uint256)')
const EXECUTED_BY_MODULE = topicOf('ExecutionFromModuleSuccess(address)')
/** ERC-4337's entry points, version by version; source: viem. Of any other contract their event says nothing. */
export const ENTRY_POINTS: ReadonlySet<EvmAddress> = new Set<EvmAddress>([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
])
/** Event of Curve's gauges and their forks at each deposit and withdrawal; its data names the wallet. */
const GAUGE = topicOf('UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)')
/** Names the account second. */
const USER_OPERATION = topicOf('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)')
const ACCOUNT_TOPIC = 2

export function sceneOf(tx: ChainTransaction, wallet: EvmAddress, book: HistoryBook): Scene {
  const sent = tx.from === wallet || tx.logs.some((log) => isActOf(log, wallet))
  const calls = sent ? tx.calls.filter(({ by }) => by === wallet) : []
  const stakes = calls.some(({ to }) => isStaking({ tx, wallet, book }, to))
  return { tx, wallet, book, sent, calls, named: namedAction(calls), stakes }
}

/** Whether the contract is for staking, according to a list or to its own logs about the wallet. */
export function isStaking({ tx, wallet, book }: Pick<Scene, 'tx' | 'wallet' | 'book'>, contract: EvmAddress): boolean {
  const isGauge = (log: ReceiptLog) => log.topics[0] === GAUGE && wordsOf(log).includes(BigInt(wallet))
  return book.roleOf(contract) === 'staking' || tx.logs.some((log) => log.address === contract && isGauge(log))
}

const STAKES: Readonly<Partial<Record<TransactionType, TransactionType>>> = { DEPOSIT: 'STAKE', WITHDRAW: 'UNSTAKE' }

/** Turns a deposit into a stake, and a withdrawal into an unstake, if `stakes` is set. */
export function asStake<T extends TransactionType | undefined>(stakes: boolean, type: T): T | TransactionType {
  return (stakes && type && STAKES[type]) || type
}

function isActOf(log: ReceiptLog, wallet: EvmAddress): boolean {
  const [topic] = log.topics
  if (topic === USER_OPERATION && ENTRY_POINTS.has(log.address)) return addressTopic(log, ACCOUNT_TOPIC) === wallet
  return log.address === wallet && (topic === EXECUTED || topic === EXECUTED_BY_MODULE)
}

/** The protocol that was called, or dealt with the wallet itself. */
export function protocolIn({ calls, book }: Scene, parts: readonly Part[]): string | null {
  const places = [...calls.map(({ to }) => to), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => book.protocolOf(address)).find((key) => key !== undefined) ?? null
}
