import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockRequest, type ListedBlock } from '../blocks.ts'
import { type Hex, listOf, parseAddress, parseQuantity, recordOf } from '../rpc-values.ts'
import { type ListedTransaction, parseTransaction } from './listed-transaction.ts'

type Block = {
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
    const wanted = transactionsOf(record).filter((item) => isRecord(item) && isWanted(item))
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
      return parse(recordOf(result, 'a block'), parsed)
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
      const { address, amount } = recordOf(withdrawal, 'a withdrawal')
      return { to: parseAddress(address), amountRaw: parseQuantity(amount) * WEI_PER_GWEI }
    }),
    size: transactionsOf(record).length,
  }
}

const transactionsOf = ({ transactions }: Record<string, unknown>) => listOf(transactions, 'a list of transactions')
