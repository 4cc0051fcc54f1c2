import type { Approval } from '../../../domain/approval.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { Hex } from '../rpc-values.ts'
import { APPROVAL, TRANSFER, topicOfAddress } from './erc20-events.ts'
import { type FoundLogs, findLogs } from './scan-logs.ts'

type EventLog = FoundLogs['logs'][number]

/** What was found, and where it was looked for; as of logs, what is `missing` was not searched. */
type FoundApprovals = Pick<FoundLogs, 'covered' | 'missing' | 'failure'> & { approvals: Approval[] }

/**
 * The allowances that `owner` has set in the range, oldest first. Many tokens log the allowance that is left once more when
 * a spender uses it (`transferFrom`); those are left out: right beside the transfer, and exactly so much less than the
 * allowance before. Whether a log is one is looked up, so that an approval given and used in one transaction stays.
 */
export async function findApprovals(impatient: RpcPool, owner: EvmAddress, range: BlockRange): Promise<FoundApprovals> {
  const pool = patientPool(impatient)
  const topics = [[APPROVAL, TRANSFER], topicOfAddress(owner)]
  const found = await findLogs({ pool, topics, ...range })
  // Of ERC-721 the third argument is a topic.
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
    // Whom nothing was allowed may still transfer nothing: that is how strangers get into the history of others.
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

/** The log of the same contract in the same transaction that is so many places on. */
function placeOf({ transactionHash, address, logIndex }: EventLog, offset: number): string {
  return `${transactionHash}:${address}:${logIndex + offset}`
}

const pairOf = ({ address, topics }: EventLog) => `${address}:${topics[2]}`

/** All approvals of the same token to the same spender as the doubtful ones, up to them. */
async function readHistories(pool: RpcPool, owner: EvmAddress, doubtful: readonly EventLog[]) {
  const histories = new Map<string, readonly EventLog[]>()
  // Logs come in order: the last of a pair is the newest.
  const newest = new Map(doubtful.map((log) => [pairOf(log), log]))
  for (const [pair, { address, topics, blockNumber }] of newest) {
    const found = await findLogs({
      pool,
      topics: [APPROVAL, topicOfAddress(owner), topics[2] as Hex],
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
