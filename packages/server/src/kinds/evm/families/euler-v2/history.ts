import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../history/changes.ts'
import type { FamilyHistory, LogContext, PositionKey, Step } from '../../history/family-history.ts'
import { addressTopic, addressWord, TRANSFER, topicOf, word } from '../../history/log-words.ts'
import { accountNumber } from './accounts.ts'

const DEPOSIT = topicOf('Deposit(address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')
const BORROW = topicOf('Borrow(address,uint256)')
const REPAY = topicOf('Repay(address,uint256)')
const LIQUIDATE = topicOf('Liquidate(address,address,address,uint256,uint256)')
const SOCIALIZED = topicOf('DebtSocialized(address,uint256)')
const STATUS = topicOf('VaultStatus(uint256,uint256,uint256,uint256,uint256,uint256,uint256)')

/** Of shares and of assets, in all conversions of a vault. */
const VIRTUAL = 1_000_000n

/**
 * What lies in a sub-account is a position without a token: put in by deposits and transfers of shares, taken out by
 * withdrawals. Shares of the wallet itself are tokens like those of any vault. Debts have no token: that of the vault repeats what
 * it logs, with interest.
 */
export function eulerHistory({ evc }: { evc: EvmAddress }): FamilyHistory {
  return { purposes: { vault: 'lend' }, mirrors: ['debt'], contracts: [evc], step: (...log) => stepAt(evc, ...log) }
}

type Reading = (scene: Reader) => Step | undefined

/** A log of a vault, and the accounts that it is read for. */
type Reader = {
  log: ReceiptLog
  wallet: EvmAddress
  context: LogContext
  asset: EvmAddress
  /** The place of an account among the wallet's; undefined if it is none of them. */
  positionOf(account: EvmAddress | undefined): PositionKey | undefined
}

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [DEPOSIT, deposited],
  [WITHDRAW, withdrawn],
  [TRANSFER, passed],
  [BORROW, borrowed],
  [REPAY, repaid],
  [LIQUIDATE, seized],
])

function stepAt(evc: EvmAddress, log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const [asset] = context.underlyings
  if (asset === undefined) return undefined
  const positionOf = (account: EvmAddress | undefined): PositionKey | undefined => {
    const id = account === undefined ? undefined : accountNumber(wallet, account)
    return id === undefined ? undefined : { contract: evc, id }
  }
  return READINGS.get(log.topics[0] ?? '')?.({ log, wallet, context, asset, positionOf })
}

/** Into a sub-account. */
function deposited({ log, asset, positionOf }: Reader): Step | undefined {
  const position = positionOf(addressTopic(log, 2))
  const amountRaw = word(log, 0)
  if (!position?.id || amountRaw === undefined) return undefined
  return { kind: 'put', purpose: 'lend', position, token: asset, amountRaw }
}

/** Out of a sub-account. Assets that stay there repay its debt: they never go to a sub-account. */
function withdrawn(scene: Reader): Step | undefined {
  const { log, asset, positionOf } = scene
  const owner = addressTopic(log, 3)
  const position = positionOf(owner)
  const amountRaw = word(log, 0)
  if (!position?.id || amountRaw === undefined) return undefined
  const amount = { token: asset, amountRaw }
  if (addressTopic(log, 2) !== owner) return { kind: 'take', purpose: 'lend', position, ...amount }
  return isRepaidNext(scene, owner) ? { kind: 'seized', position, taken: amount, relieved: amount } : undefined
}

function isRepaidNext({ log, context }: Reader, account: EvmAddress | undefined): boolean {
  const next = context.later().find(({ address, topics }) => address === log.address && topics[0] === REPAY)
  return next !== undefined && addressTopic(next, 1) === account
}

/** Shares between the wallet and one of its sub-accounts. */
function passed({ log, wallet, positionOf }: Reader): Step | undefined {
  const [transfer] = transfersOf(log)
  if (!transfer) return undefined
  const { from, to, amountRaw } = transfer
  const [source, target] = [positionOf(from), positionOf(to)]
  const shares = { purpose: 'deposit', token: log.address, amountRaw } as const
  if (from === wallet && target?.id) return { kind: 'put', position: target, ...shares }
  return to === wallet && source?.id ? { kind: 'take', position: source, ...shares } : undefined
}

/** A loan that the vault pays out. A debt that passes to another account is logged as borrowed too, without a payment. */
function borrowed({ log, context, asset, positionOf }: Reader): Step | undefined {
  const position = positionOf(addressTopic(log, 1))
  const amountRaw = word(log, 0)
  if (!position || amountRaw === undefined) return undefined
  const isPaid = context
    .later()
    .flatMap(transfersOf)
    .some((one) => one.token === asset && one.from === log.address && one.amountRaw === amountRaw)
  return isPaid ? { kind: 'borrow', token: asset, amountRaw, position } : undefined
}

function repaid({ log, asset, positionOf }: Reader): Step | undefined {
  const position = positionOf(addressTopic(log, 1))
  const amountRaw = word(log, 0)
  if (!position || amountRaw === undefined) return undefined
  return { kind: 'repay', token: asset, amountRaw, position }
}

/**
 * A liquidator took over a part of the debt of a sub-account for a part of its collateral; what remains without collateral is
 * forgiven. Of the wallet itself the shares were taken, which its transfers say.
 */
function seized({ log, context, asset, positionOf }: Reader): Step | undefined {
  const violator = addressTopic(log, 2)
  const position = positionOf(violator)
  const [collateral, repaidRaw, sharesRaw] = [addressWord(log, 0), word(log, 1), word(log, 2)]
  if (!position?.id || collateral === undefined || repaidRaw === undefined || sharesRaw === undefined) return undefined
  return {
    kind: 'seized',
    position,
    taken: assetsOf(collateral, sharesRaw, context),
    relieved: { token: asset, amountRaw: repaidRaw + forgiven(log, context, violator) },
  }
}

function forgiven({ address }: ReceiptLog, { before }: LogContext, account: EvmAddress | undefined): bigint {
  const isOf = before?.address === address && before.topics[0] === SOCIALIZED && addressTopic(before, 1) === account
  return isOf ? (word(before, 0) ?? 0n) : 0n
}

/** What shares converted to at the end of the transaction, when each vault that took part logs its sums. */
function assetsOf(vault: EvmAddress, sharesRaw: bigint, { later, underlyingsOf }: LogContext) {
  const [asset] = underlyingsOf(vault)
  const status = later().find(({ address, topics }) => address === vault && topics[0] === STATUS)
  const [shares, borrows, cash] = status ? [word(status, 0), word(status, 1), word(status, 3)] : []
  if (asset === undefined || shares === undefined || borrows === undefined || cash === undefined) {
    return { token: vault, amountRaw: sharesRaw }
  }
  return { token: asset, amountRaw: (sharesRaw * (cash + borrows + VIRTUAL)) / (shares + VIRTUAL) }
}
