import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../history/changes.ts'
import type { FamilyHistory, LogContext, PositionKey, Purpose, Step } from '../../history/family-history.ts'
import { addressTopic, topicOf, word } from '../../history/log-words.ts'

const SUPPLY = topicOf('Supply(bytes32,address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(bytes32,address,address,address,uint256,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(bytes32,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(bytes32,address,address,address,uint256)')
const BORROW = topicOf('Borrow(bytes32,address,address,address,uint256,uint256)')
const REPAY = topicOf('Repay(bytes32,address,address,uint256,uint256)')
const LIQUIDATE = topicOf('Liquidate(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)')

type Contracts = { blue: EvmAddress; bundlers: readonly EvmAddress[] }

/**
 * Positions of markets are kept by Morpho Blue under the id of the market. Its events name no token: the transfer that
 * Morpho Blue makes next for the logged amount does. Wallets mostly pay and are paid by a bundler.
 */
export function morphoHistory({ blue, bundlers }: Contracts): FamilyHistory {
  return { purposes: { vault: 'lend' }, contracts: [blue, ...bundlers], step }
}

type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [SUPPLY, moved('put', 'lend', { ownerAt: 3, amountAt: 0 })],
  [WITHDRAW, moved('take', 'lend', { ownerAt: 2, amountAt: 1 })],
  [SUPPLY_COLLATERAL, moved('put', 'deposit', { ownerAt: 3, amountAt: 0 })],
  [WITHDRAW_COLLATERAL, moved('take', 'deposit', { ownerAt: 2, amountAt: 1 })],
  [BORROW, owed('borrow', { ownerAt: 2, amountAt: 1 })],
  [REPAY, owed('repay', { ownerAt: 3, amountAt: 0 })],
  [LIQUIDATE, seized],
])

const step: Reading = (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.(log, wallet, context)

/** Which topic names the owner of the position, and which word of the data is the amount of assets. */
type Places = { ownerAt: 2 | 3; amountAt: 0 | 1 }

function moved(kind: 'put' | 'take', purpose: Purpose, places: Places): Reading {
  return (log, wallet, context) => {
    const facts = factsOf(log, wallet, places)
    const token = facts && tokenOf(log, context, { isPaid: kind === 'put', amountRaw: facts.amountRaw })
    return facts && token && { kind, purpose, token, ...facts }
  }
}

function owed(kind: 'borrow' | 'repay', places: Places): Reading {
  return (log, wallet, context) => {
    const facts = factsOf(log, wallet, places)
    const token = facts && tokenOf(log, context, { isPaid: kind === 'repay', amountRaw: facts.amountRaw })
    return facts && token && { kind, token, ...facts }
  }
}

/** A part of the collateral for a part of the debt; what remains owed without collateral is forgiven. */
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

function factsOf(log: ReceiptLog, wallet: EvmAddress, { ownerAt, amountAt }: Places) {
  const position = positionOf(log)
  const amountRaw = word(log, amountAt)
  if (!position || amountRaw === undefined || addressTopic(log, ownerAt) !== wallet) return undefined
  return { position, amountRaw }
}

function positionOf({ address, topics }: ReceiptLog): PositionKey | undefined {
  const [, id] = topics
  return id === undefined ? undefined : { contract: address, id: BigInt(id) }
}

/** The token of the next transfer of so much to Morpho Blue, or from it. */
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
