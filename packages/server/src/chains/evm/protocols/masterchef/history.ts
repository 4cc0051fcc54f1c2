import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

type Generation = 'v1' | 'v2'

export const DEPOSITS = {
  v1: { topic: topicOf('Deposit(address,uint256,uint256)'), walletAt: 1 },
  v2: { topic: topicOf('Deposit(address,uint256,uint256,address)'), walletAt: 3 },
} as const

const WITHDRAWALS: Readonly<Record<Generation, ReadonlySet<string | undefined>>> = {
  v1: new Set([topicOf('Withdraw(address,uint256,uint256)'), topicOf('EmergencyWithdraw(address,uint256,uint256)')]),
  v2: new Set([
    topicOf('Withdraw(address,uint256,uint256,address)'),
    topicOf('EmergencyWithdraw(address,uint256,uint256,address)'),
  ]),
}

const CALLER_TOPIC = 1
const PID_TOPIC = 2
const RECEIVER_TOPIC = 3

/** Events name no token: the chef's last transfer of the amount does. */
export function masterChefHistory(chef: EvmAddress, generation: Generation): ProtocolHistory {
  return {
    purposes: {},
    rewarders: [chef],
    step: (log, wallet, context) => step(log, wallet, { context, generation }),
  }
}

function step(
  log: ReceiptLog,
  wallet: EvmAddress,
  { context, generation }: { context: LogContext; generation: Generation },
): Step | undefined {
  const { topic, walletAt } = DEPOSITS[generation]
  const isPut = log.topics[0] === topic
  if (!isPut && !WITHDRAWALS[generation].has(log.topics[0])) return undefined
  const stake = stakeOf(log, context, isPut)
  if (!stake) return undefined
  const owner = addressTopic(log, isPut ? walletAt : CALLER_TOPIC)
  if (owner === wallet) return { kind: isPut ? 'put' : 'take', purpose: 'stake', ...stake }
  if (addressTopic(log, isPut ? CALLER_TOPIC : RECEIVER_TOPIC) !== wallet) return undefined
  const { token, amountRaw } = stake
  return { kind: isPut ? 'send' : 'receive', token, amountRaw, other: owner }
}

function stakeOf(log: ReceiptLog, context: LogContext, isPut: boolean) {
  const amountRaw = word(log, 0)
  const id = numberTopic(log, PID_TOPIC)
  if (amountRaw === undefined || id === undefined) return undefined
  const token = tokenOf(log, context, { isPut, amountRaw })
  return token && { position: { contract: log.address, id }, token, amountRaw }
}

function tokenOf(
  { address }: ReceiptLog,
  { earlier }: LogContext,
  { isPut, amountRaw }: { isPut: boolean; amountRaw: bigint },
): EvmAddress | undefined {
  const isWanted = (log: ReceiptLog) =>
    transfersOf(log).some(
      (transfer) => transfer.amountRaw === amountRaw && (isPut ? transfer.to : transfer.from) === address,
    )
  return earlier().findLast(isWanted)?.address
}
