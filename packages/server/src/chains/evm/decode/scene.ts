import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Call, ChainTransaction, ReceiptLog, TransactionType } from '../../../domain/transaction.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { Part, Seen } from './changes.ts'
import type { ContractDirectory } from './contract-directory.ts'
import { addressTopic, TRANSFER, topicOf, word, wordsOf } from './log-words.ts'
import { type NamedAction, namedAction } from './named-actions.ts'
import type { Step } from './protocol-history.ts'
import { type UserOperation, userOperations } from './user-operations.ts'

export type Scene = Seen & {
  /** Also by signers of a contract wallet. */
  sent: boolean
  calls: readonly Call[]
  named: NamedAction
  operations: readonly UserOperation[]
  stakes: boolean
}

/** Safe. */
const EXECUTED = topicOf('ExecutionSuccess(bytes32,uint256)')
const EXECUTED_BY_MODULE = topicOf('ExecutionFromModuleSuccess(address)')
const GAUGE = topicOf('UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)')
/** MasterChef, also its second version. */
const FARM: ReadonlySet<string | undefined> = new Set(
  ['Deposit', 'Withdraw', 'EmergencyWithdraw'].flatMap((name) => [
    topicOf(`${name}(address,uint256,uint256)`),
    topicOf(`${name}(address,uint256,uint256,address)`),
  ]),
)

export function sceneOf(tx: ChainTransaction, wallet: EvmAddress, directory: ContractDirectory): Scene {
  const operations = userOperations(tx.logs, wallet)
  const isAct = ({ address, topics: [topic] }: ReceiptLog) =>
    address === wallet && (topic === EXECUTED || topic === EXECUTED_BY_MODULE)
  const sent = tx.from === wallet || operations.length > 0 || tx.logs.some(isAct)
  const calls = sent ? tx.calls.filter(({ by }) => by === wallet) : []
  const stakes = calls.some(({ to }) => isStaking(to, { tx, wallet, directory }))
  return { tx, wallet, directory, sent, calls, named: namedAction(calls), operations, stakes }
}

export function isStaking(contract: EvmAddress, { tx, wallet, directory }: Seen): boolean {
  if (directory.roleOf(contract) === 'staking') return true
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

export function protocolIn({ calls, directory }: Scene, parts: readonly Part[]): string | null {
  const places = [...calls.map(({ to }) => to), ...parts.map(({ counterparty }) => counterparty)]
  return places.map((address) => directory.protocolOf(address)).find((key) => key !== undefined) ?? null
}

export type LoggedStep<S extends Step = Step> = {
  deployment: ProtocolDeployment
  protocolContract: ProtocolContract | undefined
  step: S
}

export function stepsIn(scene: Scene): LoggedStep[] {
  const { tx, wallet, directory } = scene
  return tx.logs.flatMap((log, i) => {
    const settled = settledBy(scene, log)
    if (settled) return [settled]
    const deployment = directory.deploymentOf(log.address)
    if (!deployment?.history.step) return []
    const protocolContract = directory.protocolContractOf(log.address)?.protocolContract
    const context = {
      before: tx.logs[i - 1],
      after: tx.logs[i + 1],
      later: () => tx.logs.slice(i + 1),
      earlier: () => tx.logs.slice(0, i),
      underlyings: protocolContract?.underlyings ?? [],
      data: protocolContract?.data ?? {},
      underlyingsOf: (other: EvmAddress) => directory.protocolContractOf(other)?.protocolContract.underlyings ?? [],
    }
    const step = deployment.history.step(log, wallet, context)
    return [step ?? []].flat().map((one) => ({ deployment, protocolContract, step: one }))
  })
}

/** Payment by an escrow. Any token may log one: only the protocol contract's underlyings count. */
function settledBy({ wallet, directory }: Scene, log: ReceiptLog): LoggedStep | undefined {
  if (log.topics[0] !== TRANSFER) return undefined
  const contract = addressTopic(log, 1)
  const kept = contract && directory.escrowOf(contract)
  const amountRaw = word(log, 0)
  if (!kept || amountRaw === undefined || addressTopic(log, 2) !== wallet) return undefined
  if (!kept.protocolContract.underlyings.includes(log.address)) return undefined
  const position = { contract, id: 0n }
  return { ...kept, step: { kind: 'take', purpose: 'unstake', position, token: log.address, amountRaw } }
}
