import type { ChainTransaction } from '../../../domain/transaction.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import { ifOffered } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockRequest } from '../blocks.ts'
import { blockTag } from '../reader/batch.ts'
import { type Hex, listOf, parseHash } from '../rpc-values.ts'
import { fullBlockRequest } from './full-block.ts'
import {
  chainTransaction,
  type ListedTransaction,
  parseReceipt,
  parseTransaction,
  type Receipt,
} from './listed-transaction.ts'

export type Found = { hash: Hex; block: bigint; blockHash: Hex | null; time: number | null }

type Half = ListedTransaction | Receipt | null

/** From this many on, a block is read whole with its receipts, in two long answers. */
const WHOLE_BLOCK_FROM = 8
const BLOCKS_AT_ONCE = 2

/** `read`: the transactions read so far. */
type Reading = { endpoint: RpcEndpoint; read: Map<Hex, ChainTransaction> }

/** Throws `UpstreamError` if answers name different blocks or a transaction is missing. `read` keeps its entries. */
export async function readTransactions(reading: Reading, wanted: readonly Found[]): Promise<void> {
  const lacking = [...new Map(wanted.map((found) => [found.hash, found])).values()].filter(
    ({ hash }) => !reading.read.has(hash),
  )
  const byBlock = Map.groupBy(lacking, ({ block }) => block)
  const isCrowded = ({ block }: Found) => (byBlock.get(block)?.length ?? 0) >= WHOLE_BLOCK_FROM
  const leftOfBlocks = await readBlocks(reading, lacking.filter(isCrowded))
  const unknown = await readSingly(reading, [...leftOfBlocks, ...lacking.filter((found) => !isCrowded(found))])
  // A node may lose a transaction's hash and keep the block.
  const left = await readBlocks(reading, unknown)
  if (left.length > 0) throw new UpstreamError('unavailable', 'the node does not know a transaction that it named')
}

async function readSingly(reading: Reading, wanted: readonly Found[]): Promise<Found[]> {
  const { endpoint, read } = reading
  const asked = wanted.flatMap((found) => halvesOf(endpoint, found))
  const halves = (await requestEach(endpoint, asked, endpoint.background)).map(valueOrThrow)
  const unknown: Found[] = []
  const pairs: { found: Found; listed: ListedTransaction; receipt: Receipt }[] = []
  for (const [i, found] of wanted.entries()) {
    const listed = halves[2 * i]
    const receipt = halves[2 * i + 1]
    if (listed && receipt) pairs.push({ found, listed: listed as ListedTransaction, receipt: receipt as Receipt })
    else unknown.push(found)
  }
  const times = await readTimes(reading, pairs)
  for (const { found, listed, receipt } of pairs) {
    const time = listed.time ?? found.time ?? times.get(listed.blockHash)
    if (time === undefined)
      throw new UpstreamError('invalid', 'the node reported a block that is not the block of its transaction')
    keep(read, found, chainTransaction(listed, receipt, time))
  }
  return unknown
}

function halvesOf({ limits, chain }: RpcEndpoint, { hash }: Found): RpcRequest<Half>[] {
  const timeoutMs = limits.logTimeoutMs
  const params = [hash]
  const isPending = (result: unknown) => result === null || (isRecord(result) && result['blockHash'] === null)
  const orNull = (parse: (result: unknown) => Half) => (result: unknown) => (isPending(result) ? null : parse(result))
  return [
    { method: 'eth_getTransactionByHash', params, timeoutMs, parse: orNull(parseTransaction) },
    { method: 'eth_getTransactionReceipt', params, timeoutMs, parse: orNull((result) => parseReceipt(result, chain)) },
  ]
}

async function readTimes(
  { endpoint, read }: Reading,
  pairs: readonly { found: Found; listed: ListedTransaction }[],
): Promise<ReadonlyMap<Hex, number>> {
  const timeless = pairs.filter(({ found, listed }) => listed.time === null && found.time === null)
  if (timeless.length === 0) return new Map()
  const known = new Map([...read.values()].map(({ blockHash, time }) => [blockHash, time]))
  const lacking = timeless.filter(({ listed }) => !known.has(listed.blockHash))
  const blocks = [...new Set(lacking.map(({ listed }) => listed.block))]
  const headers = (await requestEach(endpoint, blocks.map(blockRequest), endpoint.background)).map(valueOrThrow)
  for (const { hash, timestamp } of headers) known.set(hash, timestamp)
  return known
}

/** Returns transactions not in their block; all without block receipts. */
async function readBlocks(reading: Reading, wanted: readonly Found[]): Promise<Found[]> {
  const gate = createGate(BLOCKS_AT_ONCE)
  const byBlock = [...Map.groupBy(wanted, ({ block }) => block)]
  const left = await Promise.all(byBlock.map(([block, inIt]) => gate(() => readBlock(reading, block, inIt))))
  return left.flat()
}

async function readBlock(
  { endpoint, read }: Reading,
  block: bigint,
  wanted: readonly Found[],
): Promise<readonly Found[]> {
  const hashes = new Set(wanted.map(({ hash }) => hash))
  const receipts = await ifOffered(endpoint, receiptsRequest(endpoint, block, hashes))
  if (!receipts) return wanted
  const isWanted = ({ hash }: Record<string, unknown>) => hashes.has(parseHash(hash))
  const { time, transactions } = await endpoint.request(fullBlockRequest(endpoint, block, isWanted))
  return wanted.filter((found) => {
    const listed = transactions.get(found.hash)
    const receipt = receipts.get(found.hash)
    if (!listed || !receipt) return true
    keep(read, found, chainTransaction(listed, receipt, time))
    return false
  })
}

function receiptsRequest(
  { limits, chain }: RpcEndpoint,
  block: bigint,
  hashes: ReadonlySet<Hex>,
): RpcRequest<Map<Hex, Receipt> | undefined> {
  return {
    method: 'eth_getBlockReceipts',
    params: [blockTag(block)],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      if (result === null) return undefined
      const listed = listOf(result, 'a list of transactions')
      const chosen = listed.filter((item) => isRecord(item) && hashes.has(parseHash(item['transactionHash'])))
      return new Map(chosen.map((item) => parseReceipt(item, chain)).map((receipt) => [receipt.hash, receipt]))
    },
  }
}

function keep(read: Map<Hex, ChainTransaction>, found: Found, transaction: ChainTransaction): void {
  const { block, blockHash } = transaction
  if (block !== found.block || (found.blockHash !== null && found.blockHash !== blockHash))
    throw new UpstreamError('invalid', 'a transaction is in another block than its logs: the chain may have changed')
  read.set(transaction.hash, transaction)
}
