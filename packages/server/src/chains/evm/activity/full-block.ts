import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockRequest, type ListedBlock } from '../blocks.ts'
import { type Hex, parseAddress, parseQuantity } from '../rpc-values.ts'
import { type ListedTransaction, parseTransaction } from './listed-transaction.ts'

export type Block = {
  number: bigint
  hash: Hex
  /** Unix seconds. */
  time: number
  feeRecipient: EvmAddress
  /** From the beacon chain, in base units of the coin if validators stake it. */
  withdrawals: { to: EvmAddress; amountRaw: bigint }[]
  size: number
}

export type FullBlock = Block & { transactions: Map<Hex, ListedTransaction> }

const WEI_PER_GWEI = 1_000_000_000n

export function bareBlockRequest(endpoint: RpcEndpoint, block: bigint): RpcRequest<Block> {
  return request(endpoint, block, false, parseBlock)
}

/** Filters first: the rest of a block is many times larger. */
export function fullBlockRequest(
  endpoint: RpcEndpoint,
  block: bigint,
  isWanted: (transaction: Record<string, unknown>) => boolean,
): RpcRequest<FullBlock> {
  return request(endpoint, block, true, (record, header) => {
    const bare = parseBlock(record, header)
    const wanted = listOf(record).filter((item) => isRecord(item) && isWanted(item))
    const listed = wanted.map(parseTransaction)
    if (!listed.every(({ blockHash }) => blockHash === bare.hash))
      throw new UpstreamError('invalid', 'the block lists transactions of another one')
    return { ...bare, transactions: new Map(listed.map((transaction) => [transaction.hash, transaction])) }
  })
}

function request<T>(
  { limits }: RpcEndpoint,
  block: bigint,
  isFull: boolean,
  parse: (record: Record<string, unknown>, header: ListedBlock) => T,
): RpcRequest<T> {
  const header = blockRequest(block)
  return {
    method: header.method,
    params: [header.params[0], isFull],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      const parsed = header.parse(result)
      if (!isRecord(result)) throw new UpstreamError('invalid', 'expected a block')
      return parse(result, parsed)
    },
  }
}

function parseBlock(record: Record<string, unknown>, { number, timestamp, hash }: ListedBlock): Block {
  const withdrawals = Array.isArray(record['withdrawals']) ? record['withdrawals'] : []
  return {
    number,
    hash,
    time: timestamp,
    feeRecipient: parseAddress(record['miner']),
    withdrawals: withdrawals.map((withdrawal) => {
      if (!isRecord(withdrawal)) throw new UpstreamError('invalid', 'expected a withdrawal')
      return { to: parseAddress(withdrawal['address']), amountRaw: parseQuantity(withdrawal['amount']) * WEI_PER_GWEI }
    }),
    size: listOf(record).length,
  }
}

function listOf(record: Record<string, unknown>): unknown[] {
  const list = record['transactions']
  if (!Array.isArray(list)) throw new UpstreamError('invalid', 'expected a list of transactions')
  return list
}
