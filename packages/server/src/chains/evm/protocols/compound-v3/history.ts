import type { EvmAddress } from '../../../../domain/evm-address.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

const SUPPLY = topicOf('Supply(address,address,uint256)')
const WITHDRAW = topicOf('Withdraw(address,address,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(address,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(address,address,address,uint256)')
const ABSORB_DEBT = topicOf('AbsorbDebt(address,address,uint256,uint256)')
const REWARD_CLAIMED = topicOf('RewardClaimed(address,address,address,uint256)')

/** Logged units may be this much below the amount: principal is rounded twice. */
const ROUNDING = 3n

type Contracts = { rewards?: EvmAddress | undefined; bulkers?: readonly EvmAddress[] | undefined }

/**
 * `Supply` and `Withdraw` cross zero: the part that is not minted repays a debt, the part that is not burnt is
 * borrowed. Passing between accounts burns and mints.
 */
export function compoundV3History({ rewards, bulkers = [] }: Contracts): ProtocolHistory {
  return {
    purposes: { base: 'lend' },
    rebasing: ['base'],
    contracts: bulkers,
    rewarders: rewards ? [rewards] : [],
    step,
  }
}

type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

const naming =
  (place: number, read: Reading): Reading =>
  (log, wallet, context) =>
    addressTopic(log, place) === wallet ? read(log, wallet, context) : undefined

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [SUPPLY, naming(2, (log, wallet, { after }) => debtStep('repay', log, minted(after, log, wallet)))],
  [WITHDRAW, naming(1, (log, wallet, { after }) => debtStep('borrow', log, burnt(after, log, wallet)))],
  [SUPPLY_COLLATERAL, naming(2, (log) => collateralStep('put', log))],
  [WITHDRAW_COLLATERAL, naming(1, (log) => collateralStep('take', log))],
  [ABSORB_DEBT, naming(2, liquidated)],
  [REWARD_CLAIMED, naming(2, claimed)],
  [TRANSFER, passed],
])

const step: Reading = (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.(log, wallet, context)

const accountAt = ({ address }: ReceiptLog): PositionKey => ({ contract: address, id: 0n })

/** `unitsRaw`: minted or burnt. */
function debtStep(kind: 'borrow' | 'repay', log: ReceiptLog, unitsRaw: bigint): Step | undefined {
  const amountRaw = (word(log, 0) ?? 0n) - unitsRaw
  return amountRaw > ROUNDING ? { kind, amountRaw, position: accountAt(log) } : undefined
}

function collateralStep(kind: 'put' | 'take', log: ReceiptLog): Step | undefined {
  const token = addressTopic(log, 3)
  const amountRaw = word(log, 0)
  if (token === undefined || amountRaw === undefined) return undefined
  return { kind, purpose: 'deposit', token, amountRaw, position: accountAt(log) }
}

/** All collateral is taken; its value beyond the debt is supplied. */
function liquidated(log: ReceiptLog, wallet: EvmAddress, { after }: LogContext): Step {
  const amountRaw = minted(after, log, wallet)
  const rest = amountRaw > 0n ? { rest: { token: log.address, amountRaw } } : {}
  return { kind: 'liquidated', position: accountAt(log), ...rest }
}

function claimed(log: ReceiptLog): Step | undefined {
  const token = addressTopic(log, 3)
  const amountRaw = word(log, 0)
  return token === undefined || amountRaw === undefined ? undefined : { kind: 'claim', token, amountRaw }
}

function passed(log: ReceiptLog, wallet: EvmAddress, { before, after }: LogContext): Step | undefined {
  const [transfer] = transfersOf(log)
  if (!transfer || isPartOf(before, log, wallet)) return undefined
  const { from, to, amountRaw } = transfer
  const facts = { token: log.address, amountRaw }
  if (from === wallet && to === NATIVE) return { kind: 'send', ...facts, other: otherEnd(after, log)?.to }
  if (to === wallet && from === NATIVE) return { kind: 'receive', ...facts, other: otherEnd(before, log)?.from }
  return undefined
}

function isPartOf(log: ReceiptLog | undefined, { address }: ReceiptLog, wallet: EvmAddress): boolean {
  if (log?.address !== address) return false
  const [topic] = log.topics
  if (topic === WITHDRAW) return addressTopic(log, 1) === wallet
  return (topic === SUPPLY || topic === ABSORB_DEBT) && addressTopic(log, 2) === wallet
}

function otherEnd(log: ReceiptLog | undefined, { address }: ReceiptLog) {
  const [transfer] = log?.address === address ? transfersOf(log) : []
  if (!transfer) return undefined
  const { from, to } = transfer
  return { from: from === NATIVE ? undefined : from, to: to === NATIVE ? undefined : to }
}

function minted(after: ReceiptLog | undefined, { address }: ReceiptLog, wallet: EvmAddress): bigint {
  const [transfer] = after?.address === address ? transfersOf(after) : []
  return transfer?.from === NATIVE && transfer.to === wallet ? transfer.amountRaw : 0n
}

function burnt(after: ReceiptLog | undefined, { address }: ReceiptLog, wallet: EvmAddress): bigint {
  const [transfer] = after?.address === address ? transfersOf(after) : []
  return transfer?.from === wallet && transfer.to === NATIVE ? transfer.amountRaw : 0n
}
