import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { moves } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment } from './adapter.ts'

const SUPPLY = topicOf('Supply(bytes32,address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(bytes32,address,address,address,uint256,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(bytes32,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(bytes32,address,address,address,uint256)')
const BORROW = topicOf('Borrow(bytes32,address,address,address,uint256,uint256)')
const REPAY = topicOf('Repay(bytes32,address,address,uint256,uint256)')
const LIQUIDATE = topicOf('Liquidate(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)')

/** Events name no token: the next transfer of the amount does. Wallets mostly use a bundler. */
export function morphoHistory({ blue, bundlers }: Deployment): ProtocolHistory {
  return { purposes: { vault: 'lend' }, contracts: [blue, ...bundlers], step }
}

type Naming = (moved: { position: PositionKey; token: EvmAddress; amountRaw: bigint }) => Step
type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

/** A wallet that pays for another gives it away. */
const paying = (named: Naming): Reading => moving(named, { side: 'to', amountAt: 0, ownerAt: 3, otherAt: 2 })
const paid = (named: Naming): Reading => moving(named, { side: 'from', amountAt: 1, ownerAt: 2, otherAt: 3 })

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [SUPPLY, paying((step) => ({ kind: 'put', purpose: 'lend', ...step }))],
  [WITHDRAW, paid((step) => ({ kind: 'take', purpose: 'lend', ...step }))],
  [SUPPLY_COLLATERAL, paying((step) => ({ kind: 'put', purpose: 'deposit', ...step }))],
  [WITHDRAW_COLLATERAL, paid((step) => ({ kind: 'take', purpose: 'deposit', ...step }))],
  [BORROW, paid((step) => ({ kind: 'borrow', ...step }))],
  [REPAY, paying((step) => ({ kind: 'repay', ...step }))],
  [LIQUIDATE, seized],
])

const step: Reading = (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.(log, wallet, context)

function moving(
  named: Naming,
  at: { side: 'to' | 'from'; amountAt: number; ownerAt: number; otherAt: number },
): Reading {
  return (log, wallet, context) => {
    const owner = addressTopic(log, at.ownerAt)
    const [position, amountRaw] = [positionOf(log), word(log, at.amountAt)]
    if (owner !== wallet && addressTopic(log, at.otherAt) !== wallet) return undefined
    if (!position || amountRaw === undefined) return undefined
    const token = tokenOf(log, context, at.side, amountRaw)
    if (!token) return undefined
    if (owner === wallet) return named({ position, token, amountRaw })
    return { kind: at.side === 'to' ? 'send' : 'receive', token, amountRaw, other: owner }
  }
}

/** Debt left without collateral is forgiven. */
function seized(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const position = positionOf(log)
  const [repaidRaw, , seizedRaw, forgivenRaw] = [0, 1, 2, 3].map((place) => word(log, place))
  if (addressTopic(log, 3) !== wallet || !position) return undefined
  if (repaidRaw === undefined || seizedRaw === undefined || forgivenRaw === undefined) return undefined
  const collateral = tokenOf(log, context, 'from', seizedRaw)
  const loan = tokenOf(log, context, 'to', repaidRaw)
  if (!collateral || !loan) return undefined
  return {
    kind: 'seized',
    position,
    taken: { token: collateral, amountRaw: seizedRaw },
    relieved: { token: loan, amountRaw: repaidRaw + forgivenRaw },
  }
}

function positionOf({ address, topics }: ReceiptLog): PositionKey | undefined {
  const [, id] = topics
  return id === undefined ? undefined : { contract: address, id: BigInt(id) }
}

const tokenOf = ({ address }: ReceiptLog, { later }: LogContext, side: 'to' | 'from', amountRaw: bigint) =>
  later().find(moves(address, side, amountRaw))?.address
