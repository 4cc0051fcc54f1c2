import { erc20Abi } from 'viem'
import type { Address } from '../../../domain/address.ts'
import type { Approval } from '../../../domain/approval.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { FoundApprovals } from '../../approval-reading.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { blockRequest, type ListedBlock } from '../blocks.ts'
import { APPROVAL, type EventLog, TRANSFER, topicOfAddress } from '../logs/logs.ts'
import { findLogs } from '../logs/scan-logs.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Hex } from '../rpc-values.ts'

const AT_ONCE = 8

const gate = createGate(AT_ONCE)

export function readBlocks(pool: RpcPool, numbers: readonly bigint[]): Promise<ListedBlock[]> {
  const { run } = pool.session()
  return run(async (endpoint) => (await requestEach(endpoint, numbers.map(blockRequest), gate)).map(valueOrThrow))
}

/** In base units; unreadable balances are absent. */
export async function readBalances(
  reader: EvmReader,
  wallet: EvmAddress,
  tokens: readonly Address[],
): Promise<Map<Address, bigint>> {
  const held = await Promise.all(
    tokens.map(async (address): Promise<[Address, bigint][]> => {
      const call = { abi: erc20Abi, functionName: 'balanceOf', args: [wallet] } as const
      const raw = await reader.tryRead({ address: evmAddress(address), ...call })
      return raw === undefined ? [] : [[address, raw]]
    }),
  )
  return new Map(held.flat())
}

/** Oldest first. Without the remaining allowances that a `transferFrom` logs: the previous one minus the amount. */
export async function findApprovals(impatient: RpcPool, owner: EvmAddress, range: BlockRange): Promise<FoundApprovals> {
  const pool = patientPool(impatient)
  const topics = [[APPROVAL, TRANSFER], topicOfAddress(owner)]
  const found = await findLogs({ pool, filters: [topics], ...range })
  // ERC-721 logs its third argument as a topic, not as data.
  const logs = found.logs.filter(({ topics: { length }, data }) => length === 3 && data.length === 66)
  const transfers = new Map(logs.filter(isTransfer).map((log) => [placeOf(log, 0), log]))
  const beside = (log: EventLog) => transfers.get(placeOf(log, -1)) ?? transfers.get(placeOf(log, 1))
  const approvals = logs.filter((log) => !isTransfer(log))
  const doubtful = approvals.filter(beside)
  const histories = await readHistories(pool, owner, doubtful)
  if ('failure' in histories) return { approvals: [], covered: [], missing: [range], failure: histories.failure }
  const isEcho = (log: EventLog) => {
    const transfer = beside(log)
    if (!transfer) return false
    // Spam transfers zero without an allowance.
    const before = BigInt(histories.before(log)?.data ?? 0)
    return before - BigInt(transfer.data) === BigInt(log.data)
  }
  const { covered, missing, failure } = found
  return {
    approvals: approvals.filter((log) => !isEcho(log)).map(approvalOf),
    covered,
    missing,
    ...(failure && { failure }),
  }
}

const isTransfer = ({ topics }: EventLog) => topics[0] === TRANSFER

function placeOf({ transactionHash, address, logIndex }: EventLog, offset: number): string {
  return `${transactionHash}:${address}:${logIndex + offset}`
}

const pairOf = ({ address, topics }: EventLog) => `${address}:${topics[2]}`

async function readHistories(pool: RpcPool, owner: EvmAddress, doubtful: readonly EventLog[]) {
  const histories = new Map<string, readonly EventLog[]>()
  const newest = new Map(doubtful.map((log) => [pairOf(log), log]))
  for (const [pair, { address, topics, blockNumber }] of newest) {
    const found = await findLogs({
      pool,
      filters: [[APPROVAL, topicOfAddress(owner), topics[2] as Hex]],
      addresses: [address],
      fromBlock: 0n,
      toBlock: blockNumber,
    })
    if (found.missing.length > 0) return { failure: found.failure }
    histories.set(pair, found.logs)
  }
  const isBefore = (a: EventLog, b: EventLog) =>
    a.blockNumber < b.blockNumber || (a.blockNumber === b.blockNumber && a.logIndex < b.logIndex)
  return {
    before: (log: EventLog) => histories.get(pairOf(log))?.findLast((earlier) => isBefore(earlier, log)),
  }
}

function approvalOf({ blockNumber, blockHash, logIndex, transactionHash, address, topics, data }: EventLog): Approval {
  return {
    block: blockNumber,
    blockHash,
    logIndex,
    hash: transactionHash,
    contract: address,
    spender: evmAddress(`0x${topics[2]?.slice(-40)}`),
    amountRaw: BigInt(data),
  }
}
