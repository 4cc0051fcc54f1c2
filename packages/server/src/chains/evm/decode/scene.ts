import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Call, ChainTransaction, ReceiptLog, TransactionType } from '../../../domain/transaction.ts'
import type { HistoryBook } from './book.ts'
import type { Part } from './legs.ts'
import { TRANSFER, topicOf, wordsOf } from './log-words.ts'
import { type NamedAction, namedAction } from './named-actions.ts'
import { type UserOperation, userOperations } from './user-operations.ts'

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
  /** Its operations, where it is an ERC-4337 account. */
  operations: readonly UserOperation[]
  /** It called a staking contract, so that a deposit by name is a stake. */
  stakes: boolean
}

/** Of a Safe. */
const EXECUTED = topicOf('ExecutionSuccess(bytes32,uint256)')
const EXECUTED_BY_MODULE = topicOf('ExecutionFromModuleSuccess(address)')
/** Event of Curve's gauges and their forks at each deposit and withdrawal; its data names the wallet. */
const GAUGE = topicOf('UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)')
/** Events of MasterChef and its forks: wallet, pool, amount, and since its second version the recipient. */
const FARM: ReadonlySet<string | undefined> = new Set(
  ['Deposit', 'Withdraw', 'EmergencyWithdraw'].flatMap((name) => [
    topicOf(`${name}(address,uint256,uint256)`),
    topicOf(`${name}(address,uint256,uint256,address)`),
  ]),
)

export function sceneOf(tx: ChainTransaction, wallet: EvmAddress, book: HistoryBook): Scene {
  const operations = userOperations(tx.logs, wallet)
  const sent = tx.from === wallet || operations.length > 0 || tx.logs.some((log) => isActOf(log, wallet))
  const calls = sent ? tx.calls.filter(({ by }) => by === wallet) : []
  const stakes = calls.some(({ to }) => isStaking({ tx, wallet, book }, to))
  return { tx, wallet, book, sent, calls, named: namedAction(calls), operations, stakes }
}

/** Whether the contract is for staking, according to a list or to its own logs about the wallet. */
export function isStaking({ tx, wallet, book }: Pick<Scene, 'tx' | 'wallet' | 'book'>, contract: EvmAddress): boolean {
  if (book.roleOf(contract) === 'staking') return true
  const own = tx.logs.filter(({ address }) => address === contract)
  // A vault may log a deposit as a farm does, but farms are no tokens.
  const isToken = own.some(({ topics }) => topics[0] === TRANSFER)
  const isOfStake = ({ topics: [topic] }: ReceiptLog) => topic === GAUGE || (FARM.has(topic) && !isToken)
  return own.some((log) => isOfStake(log) && wordsOf(log).includes(BigInt(wallet)))
}

const STAKES: Readonly<Partial<Record<TransactionType, TransactionType>>> = { DEPOSIT: 'STAKE', WITHDRAW: 'UNSTAKE' }

/** Turns a deposit into a stake, and a withdrawal into an unstake, if `stakes` is set. */
export function asStake<T extends TransactionType | undefined>(stakes: boolean, type: T): T | TransactionType {
  return (stakes && type && STAKES[type]) || type
}

function isActOf(log: ReceiptLog, wallet: EvmAddress): boolean {
  const [topic] = log.topics
  return log.address === wallet && (topic === EXECUTED || topic === EXECUTED_BY_MODULE)
}

/** The protocol that was called, or dealt with the wallet itself. */
export function protocolIn({ calls, book }: Scene, parts: readonly Part[]): string | null {
  const places = [...calls.map(({ to }) => to), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => book.protocolOf(address)).find((key) => key !== undefined) ?? null
}
