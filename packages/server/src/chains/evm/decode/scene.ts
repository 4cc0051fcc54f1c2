import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Call, ChainTransaction, ReceiptLog, TransactionType } from '../../../domain/transaction.ts'
import type { HistoryBook } from './book.ts'
import type { Part } from './legs.ts'
import { TRANSFER, topicOf, wordsOf } from './log-words.ts'
import { type NamedAction, namedAction } from './named-actions.ts'
import { type UserOperation, userOperations } from './user-operations.ts'

export type Scene = {
  tx: ChainTransaction
  wallet: EvmAddress
  book: HistoryBook
  /** Also by signers of a contract wallet. */
  sent: boolean
  /** Only the wallet's own. */
  calls: readonly Call[]
  named: NamedAction
  operations: readonly UserOperation[]
  /** A deposit by name is then a stake. */
  stakes: boolean
}

/** Safe. */
const EXECUTED = topicOf('ExecutionSuccess(bytes32,uint256)')
const EXECUTED_BY_MODULE = topicOf('ExecutionFromModuleSuccess(address)')
/** Gauges of Curve and forks. The data has the wallet. */
const GAUGE = topicOf('UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)')
/** MasterChef: wallet, pool, amount, and since the second version the recipient. */
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

/** By a list, or the contract's logs about the wallet. */
export function isStaking({ tx, wallet, book }: Pick<Scene, 'tx' | 'wallet' | 'book'>, contract: EvmAddress): boolean {
  if (book.roleOf(contract) === 'staking') return true
  const own = tx.logs.filter(({ address }) => address === contract)
  // A vault may log deposits like a farm, but farms are no tokens.
  const isToken = own.some(({ topics }) => topics[0] === TRANSFER)
  const isOfStake = ({ topics: [topic] }: ReceiptLog) => topic === GAUGE || (FARM.has(topic) && !isToken)
  return own.some((log) => isOfStake(log) && wordsOf(log).includes(BigInt(wallet)))
}

const STAKES: Readonly<Partial<Record<TransactionType, TransactionType>>> = { DEPOSIT: 'STAKE', WITHDRAW: 'UNSTAKE' }

export function asStake<T extends TransactionType | undefined>(stakes: boolean, type: T): T | TransactionType {
  return (stakes && type && STAKES[type]) || type
}

function isActOf(log: ReceiptLog, wallet: EvmAddress): boolean {
  const [topic] = log.topics
  return log.address === wallet && (topic === EXECUTED || topic === EXECUTED_BY_MODULE)
}

export function protocolIn({ calls, book }: Scene, parts: readonly Part[]): string | null {
  const places = [...calls.map(({ to }) => to), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => book.protocolOf(address)).find((key) => key !== undefined) ?? null
}
