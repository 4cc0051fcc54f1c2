import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

const SUPPLY = topicOf('Supply(bytes32,address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(bytes32,address,address,address,uint256,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(bytes32,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(bytes32,address,address,address,uint256)')
const BORROW = topicOf('Borrow(bytes32,address,address,address,uint256,uint256)')
const REPAY = topicOf('Repay(bytes32,address,address,uint256,uint256)')
const LIQUIDATE = topicOf('Liquidate(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)')

type Contracts = { blue: EvmAddress; bundlers: readonly EvmAddress[] }

/** Events name no token: the next transfer of the amount does. Wallets mostly use a bundler. */
export function morphoHistory({ blue, bundlers }: Contracts): ProtocolHistory {
  return { purposes: { vault: 'lend' }, contracts: [blue, ...bundlers], step }
}

type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

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

type Moved = { position: PositionKey; token: EvmAddress; amountRaw: bigint }
type Naming = (moved: Moved) => Step

/** A wallet that pays for another gives it away. */
function paying(named: Naming): Reading {
  return (log, wallet, context) => {
    const [caller, owner] = [addressTopic(log, 2), addressTopic(log, 3)]
    if (owner !== wallet && caller !== wallet) return undefined
    const moved = movedBy(log, context, { isPaid: true, amountAt: 0 })
    if (!moved) return undefined
    return owner === wallet ? named(moved) : passed('send', moved, owner)
  }
}

function paid(named: Naming): Reading {
  return (log, wallet, context) => {
    const [owner, receiver] = [addressTopic(log, 2), addressTopic(log, 3)]
    if (owner !== wallet && receiver !== wallet) return undefined
    const moved = movedBy(log, context, { isPaid: false, amountAt: 1 })
    if (!moved) return undefined
    return owner === wallet ? named(moved) : passed('receive', moved, owner)
  }
}

const passed = (kind: 'send' | 'receive', { token, amountRaw }: Moved, other: EvmAddress | undefined): Step => ({
  kind,
  token,
  amountRaw,
  other,
})

function movedBy(
  log: ReceiptLog,
  context: LogContext,
  { isPaid, amountAt }: { isPaid: boolean; amountAt: 0 | 1 },
): Moved | undefined {
  const position = positionOf(log)
  const amountRaw = word(log, amountAt)
  if (!position || amountRaw === undefined) return undefined
  const token = tokenOf(log, context, { isPaid, amountRaw })
  return token && { position, token, amountRaw }
}

/** Debt left without collateral is forgiven. */
function seized(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const position = positionOf(log)
  const [repaidRaw, , seizedRaw, forgivenRaw] = [0, 1, 2, 3].map((place) => word(log, place))
  if (addressTopic(log, 3) !== wallet || !position) return undefined
  if (repaidRaw === undefined || seizedRaw === undefined || forgivenRaw === undefined) return undefined
  const collateral = tokenOf(log, context, { isPaid: false, amountRaw: seizedRaw })
  const loan = tokenOf(log, context, { isPaid: true, amountRaw: repaidRaw })
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

function tokenOf(
  { address }: ReceiptLog,
  { later }: LogContext,
  { isPaid, amountRaw }: { isPaid: boolean; amountRaw: bigint },
): EvmAddress | undefined {
  const isWanted = (log: ReceiptLog) =>
    transfersOf(log).some(
      (transfer) => transfer.amountRaw === amountRaw && (isPaid ? transfer.to : transfer.from) === address,
    )
  return later().find(isWanted)?.address
}
