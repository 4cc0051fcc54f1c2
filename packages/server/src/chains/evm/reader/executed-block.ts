import type { ExecutedBlock, ExecutedTransaction } from '../../../domain/execution-income.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { parseAddress, parseHash, parseQuantity } from '../rpc-values.ts'

type Row = Record<string, unknown>
type Block = Omit<ExecutedBlock, 'transactions'> & { transactions: readonly Row[] }

/** Rejects unless the node lists this hash at the number. */
export function readExecutedBlock(
  pool: RpcPool,
  { blockNumber, blockHash }: { blockNumber: number; blockHash: string },
): Promise<ExecutedBlock> {
  return pool.session().run(async (endpoint) => {
    const timeoutMs = endpoint.limits.logTimeoutMs
    const [block, receipts] = await Promise.all([
      endpoint.request({ ...blockWithTransactions(blockNumber, blockHash), timeoutMs }),
      endpoint.request({ ...receiptsOf(blockNumber), timeoutMs }),
    ])
    return { ...block, transactions: block.transactions.map((listed) => withReceipt(listed, receipts)) }
  })
}

function blockWithTransactions(blockNumber: number, blockHash: string): RpcRequest<Block> {
  return {
    method: 'eth_getBlockByNumber',
    params: [`0x${blockNumber.toString(16)}`, true],
    parse(result) {
      if (result === null) throw new UpstreamError('unavailable', 'the node does not know the block')
      if (!isRecord(result)) throw new UpstreamError('invalid', 'expected a block')
      if (parseHash(result['hash']) !== blockHash) {
        throw new UpstreamError('unavailable', 'the node has another block than the beacon chain')
      }
      return {
        miner: parseAddress(result['miner']),
        baseFeePerGasWei: parseQuantity(result['baseFeePerGas'] ?? '0x0'),
        gasUsed: parseQuantity(result['gasUsed']),
        transactions: parseRows(result['transactions']),
      }
    },
  }
}

function receiptsOf(blockNumber: number): RpcRequest<ReadonlyMap<string, Row>> {
  return {
    method: 'eth_getBlockReceipts',
    params: [`0x${blockNumber.toString(16)}`],
    parse(result) {
      if (result === null) throw new UpstreamError('unavailable', 'the node does not know the block')
      return new Map(parseRows(result).map((receipt) => [parseHash(receipt['transactionHash']), receipt]))
    },
  }
}

function parseRows(list: unknown): Row[] {
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new UpstreamError('invalid', 'expected a list of transactions')
  return list
}

function withReceipt(listed: Row, receipts: ReadonlyMap<string, Row>): ExecutedTransaction {
  const receipt = receipts.get(parseHash(listed['hash']))
  if (!receipt) throw new UpstreamError('invalid', 'a transaction of the block has no receipt')
  return {
    from: parseAddress(listed['from']),
    to: listed['to'] === null || listed['to'] === undefined ? null : parseAddress(listed['to']),
    valueWei: parseQuantity(listed['value']),
    succeeded: parseQuantity(receipt['status']) === 1n,
    gasUsed: parseQuantity(receipt['gasUsed']),
    effectiveGasPriceWei: parseQuantity(receipt['effectiveGasPrice']),
  }
}
