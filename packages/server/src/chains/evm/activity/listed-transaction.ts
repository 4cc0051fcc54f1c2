import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer, ReceiptLog } from '../../../domain/transaction.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import {
  type Hex,
  listOf,
  parseAddress,
  parseBlockTime,
  parseData,
  parseHash,
  parseOptionalQuantity,
  parseQuantity,
  recordOf,
} from '../rpc-values.ts'
import { callsOf, isWrapper } from './inner-calls.ts'
import { furtherFeeOf } from './transaction-fee.ts'

type Place = { hash: Hex; block: bigint; blockHash: Hex; index: number }

export type ListedTransaction = Place & {
  /** Unix seconds, if the node includes it. */
  time: number | null
  from: EvmAddress
  to: EvmAddress | null
  selector: Hex
  /** Input that may wrap calls, otherwise empty: whole blocks are kept in memory. */
  wrapper: Hex
  valueRaw: bigint
  /** Minted for the sender by a deposit from another layer. */
  mintRaw: bigint
  gasLimit: bigint
  gasPriceRaw: bigint | null
  /** Celo: a token pays the fee, and gas prices are in its units. */
  feeInToken: boolean
}

export type Receipt = Place & {
  /** Null in receipts from before the status field. */
  succeeded: boolean | null
  gasUsed: bigint
  gasPriceRaw: bigint | null
  /** In base units of the native coin. */
  furtherFeeRaw: bigint
  created: EvmAddress | null
  logs: ReceiptLog[]
}

/** Mints the value for the sender. */
const ARBITRUM_DEPOSIT = '0x64'
const PLAIN_TRANSFER_GAS = 21_000n

export function parseTransaction(value: unknown): ListedTransaction {
  const tx = recordOf(value, 'a transaction')
  const input = parseData(tx['input'] ?? tx['data'])
  const valueRaw = parseQuantity(tx['value'])
  const selector = input.length >= 10 ? (input.slice(0, 10).toLowerCase() as Hex) : '0x'
  return {
    ...placeOf(tx, 'hash'),
    time: parseBlockTime(tx['blockTimestamp']),
    from: parseAddress(tx['from']),
    to: parseTarget(tx['to']),
    selector,
    wrapper: isWrapper(selector) ? input : '0x',
    valueRaw,
    mintRaw: tx['type'] === ARBITRUM_DEPOSIT ? valueRaw : (parseOptionalQuantity(tx['mint']) ?? 0n),
    gasLimit: parseQuantity(tx['gas']),
    gasPriceRaw: parseOptionalQuantity(tx['gasPrice']),
    feeInToken: parseTarget(tx['feeCurrency']) !== null,
  }
}

export function parseReceipt(value: unknown, chain: string): Receipt {
  const receipt = recordOf(value, 'a receipt')
  const place = placeOf(receipt, 'transactionHash')
  const logs = listOf(receipt['logs'], 'the logs of a receipt')
  const status = parseOptionalQuantity(receipt['status'])
  const gasUsed = parseQuantity(receipt['gasUsed'])
  return {
    ...place,
    succeeded: status === null ? null : status === 1n,
    gasUsed,
    gasPriceRaw: parseOptionalQuantity(receipt['effectiveGasPrice']),
    furtherFeeRaw: furtherFeeOf(receipt, gasUsed, chain),
    created: parseTarget(receipt['contractAddress']),
    logs: logs.map((log) => parseReceiptLog(log, place)).sort((a, b) => a.logIndex - b.logIndex),
  }
}

/** `time`: Unix seconds. Excludes native coin of inner calls. */
export function chainTransaction(listed: ListedTransaction, receipt: Receipt, time: number): ChainTransaction {
  assertSamePlace(listed, receipt)
  const { hash, block, blockHash, index, from, to, selector, wrapper, feeInToken } = listed
  const { gasUsed, logs } = receipt
  // Before receipts had a status, a failure used all its gas.
  const ranOut = gasUsed === listed.gasLimit && gasUsed !== PLAIN_TRANSFER_GAS && logs.length === 0
  const succeeded = receipt.succeeded ?? !ranOut
  const feeRaw = gasUsed * (receipt.gasPriceRaw ?? listed.gasPriceRaw ?? 0n) + receipt.furtherFeeRaw
  // With `feeInToken`, the token pays the parent layer's part as well.
  const nativeTransfers = ownTransfers(listed, receipt, succeeded)
  return {
    hash,
    block,
    blockHash,
    index,
    time,
    from,
    to,
    selector,
    calls: callsOf(from, to, wrapper === '0x' ? selector : wrapper),
    succeeded,
    feeRaw: feeInToken ? 0n : feeRaw,
    feeInToken,
    logs,
    nativeTransfers,
  }
}

function assertSamePlace(a: Place, b: Place): void {
  const isSame = a.hash === b.hash && a.block === b.block && a.blockHash === b.blockHash && a.index === b.index
  if (!isSame)
    throw new UpstreamError('invalid', 'the node reported two places of one transaction: its chain may have changed')
}

function ownTransfers(listed: ListedTransaction, { created }: Receipt, succeeded: boolean): NativeTransfer[] {
  const { from, to, valueRaw, mintRaw } = listed
  const target = to ?? created
  // A deposit from another layer stays even if its call failed.
  const minted = mintRaw > 0n ? [{ from: NATIVE, to: from, amountRaw: mintRaw }] : []
  return succeeded && target && valueRaw > 0n ? [...minted, { from, to: target, amountRaw: valueRaw }] : minted
}

function placeOf(record: Record<string, unknown>, hashField: string): Place {
  return {
    hash: parseHash(record[hashField]),
    block: parseQuantity(record['blockNumber']),
    blockHash: parseHash(record['blockHash']),
    index: Number(parseQuantity(record['transactionIndex'])),
  }
}

function parseReceiptLog(value: unknown, place: Place): ReceiptLog {
  const log = recordOf(value, 'a log')
  const topics = listOf(log['topics'], 'a log')
  if (topics.length > 4) throw new UpstreamError('invalid', 'expected a log')
  const isOfPlace = parseHash(log['transactionHash']) === place.hash && parseHash(log['blockHash']) === place.blockHash
  if (!isOfPlace) throw new UpstreamError('invalid', 'the node put a log of another transaction into a receipt')
  return {
    address: parseAddress(log['address']),
    topics: topics.map(parseHash),
    data: parseData(log['data']),
    logIndex: Number(parseQuantity(log['logIndex'])),
  }
}

const parseTarget = (value: unknown) => (value === null || value === undefined ? null : parseAddress(value))
