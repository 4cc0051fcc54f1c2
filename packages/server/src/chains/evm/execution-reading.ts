import type { BlockRange } from '../../domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../domain/execution-income.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { BlockWithdrawal, DepositEvent, ExecutionReading, FoundDeposits } from '../execution-reading.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import { patientPool } from '../rpc/patient-pool.ts'
import { requestEach, valueOrThrow } from '../rpc/request-each.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { blockRequest, finalBlock, findBlockAtTime, type ListedBlock, parseBlock } from './blocks.ts'
import type { EventLog } from './logs/logs.ts'
import { findLogs } from './logs/scan-logs.ts'
import { type Hex, parseAddress, parseHash, parseQuantity } from './rpc-values.ts'

export function createExecutionReading(pool: RpcPool): ExecutionReading {
  const patient = patientPool(pool)
  const each = <T>(requests: readonly RpcRequest<T>[]): Promise<T[]> =>
    patient.session().run(async (endpoint) => (await requestEach(endpoint, requests)).map(valueOrThrow))
  return {
    chainId: () => patient.session().request({ method: 'eth_chainId', params: [], parse: parseQuantity }),
    finalBlock: () => patient.session().run((endpoint) => finalBlock(endpoint, patient.finality)),
    blockAt: (timestamp) => findBlockAtTime(patient, timestamp),
    blocks: (numbers) => each(numbers.map(blockRequest)),
    withdrawals({ fromBlock, toBlock }) {
      const length = Number(toBlock - fromBlock) + 1
      return each(Array.from({ length }, (_, i) => withdrawalsRequest(fromBlock + BigInt(i))))
    },
    deposits: (contract, range) => findDeposits(patient, evmAddress(contract), range),
    executedBlock: (block) => readExecutedBlock(pool, block),
  }
}

/** Marks the index of a builder, which is not a validator (EIP-7732). */
const BUILDER_BIT = 1n << 40n

/** Without the list `invalid`: it would count as empty. */
export function withdrawalsRequest(number: bigint): RpcRequest<ListedBlock & { withdrawals: BlockWithdrawal[] }> {
  const header = blockRequest(number)
  return {
    ...header,
    parse(result) {
      const block = header.parse(result)
      const withdrawals = isRecord(result) ? result['withdrawals'] : undefined
      if (!Array.isArray(withdrawals)) {
        throw new UpstreamError('invalid', 'the node answered with a block without its withdrawals')
      }
      return { ...block, withdrawals: withdrawals.flatMap(parseWithdrawal) }
    },
  }
}

function parseWithdrawal(value: unknown): BlockWithdrawal[] {
  if (!isRecord(value)) throw new UpstreamError('invalid', 'expected a withdrawal')
  const validator = parseQuantity(value['validatorIndex'])
  if ((validator & BUILDER_BIT) !== 0n) return []
  return [
    {
      index: parseQuantity(value['index']),
      validatorIndex: Number(validator),
      address: parseAddress(value['address']),
      amountGwei: parseQuantity(value['amount']),
    },
  ]
}

/** `DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index)`. */
const DEPOSIT_EVENT: Hex = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'

async function findDeposits(pool: RpcPool, contract: EvmAddress, range: BlockRange): Promise<FoundDeposits> {
  const { logs, ...searched } = await findLogs({ pool, filters: [[DEPOSIT_EVENT]], addresses: [contract], ...range })
  // A node that ignores the address filter would add events of any contract.
  return { ...searched, deposits: logs.filter(({ address }) => address === contract).map(parseDeposit) }
}

const WORD_DIGITS = 64
const PARTS = { pubkey: 48, credentials: 32, amount: 8, signature: 96, index: 8 }

/** Little-endian, unlike the EVM. */
const littleEndian = (hex: string) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`)

function parseDeposit({ data, blockNumber, blockTime }: EventLog): DepositEvent {
  const digits = data.slice(2).toLowerCase()
  const [pubkey = '', credentials = '', amount = '', signature = '', index = ''] = Object.values(PARTS).map(
    (bytes, i) => partAt(digits, i, bytes),
  )
  return {
    pubkey: `0x${pubkey}`,
    withdrawalCredentials: `0x${credentials}`,
    amountGwei: littleEndian(amount),
    signature: `0x${signature}`,
    index: littleEndian(index),
    blockNumber,
    blockTime,
  }
}

/** Word `i` is the offset of a length word, then its bytes. */
function partAt(digits: string, i: number, bytes: number): string {
  const word = (at: number) => Number(BigInt(`0x${digits.slice(at, at + WORD_DIGITS) || '0'}`))
  const at = word(i * WORD_DIGITS) * 2
  const part = digits.slice(at + WORD_DIGITS, at + WORD_DIGITS + bytes * 2)
  if (word(at) !== bytes || part.length !== bytes * 2) {
    throw new UpstreamError('invalid', 'expected a deposit of the deposit contract')
  }
  return part
}

type Row = Record<string, unknown>
type Block = Omit<ExecutedBlock, 'transactions'> & { transactions: readonly Row[] }

function readExecutedBlock(
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
      const block = parseBlock(result)
      if (parseHash(block['hash']) !== blockHash) {
        throw new UpstreamError('unavailable', 'the node has another block than the beacon chain')
      }
      return {
        miner: parseAddress(block['miner']),
        baseFeePerGasWei: parseQuantity(block['baseFeePerGas'] ?? '0x0'),
        gasUsed: parseQuantity(block['gasUsed']),
        transactions: parseRows(block['transactions']),
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
