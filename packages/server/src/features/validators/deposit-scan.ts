import { type BeaconTimes, slotAt, timeOfEpoch } from '../../domain/beacon-time.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { blockRequest } from '../../kinds/evm/block-header.ts'
import { type DepositEvent, findDeposits } from '../../kinds/evm/deposit-event.ts'
import { requestEach, valueOrThrow } from '../../kinds/rpc/request-each.ts'
import type { RpcPool } from '../../kinds/rpc/rpc-pool.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Deposit, DepositStore } from './deposit-store.ts'
import type { SearchBlocks } from './scan-blocks.ts'
import type { SearchedFor } from './scan-store.ts'
import { slotOfBlock } from './slot-of-block.ts'

/** Blocks of one commit: on mainnet some thousand deposits, at most some ten thousand. */
export const DEPOSIT_PIECE_BLOCKS = 20_000n

/**
 * Looks through the logs of the deposit contract. From Electra on the beacon block with the payload carries the deposit; an
 * earlier one is carried later, by a block that is found in the beacon chain.
 */
export function createSearchDeposits({
  store,
  pool,
  times,
  contract,
  electraEpoch,
  findIndices,
}: {
  store: DepositStore
  pool: RpcPool
  times: BeaconTimes
  contract: EvmAddress
  /** Null where the fork is not planned. */
  electraEpoch: number | null
  /** Of those of the public keys whose validators are known. */
  findIndices(pubkeys: readonly string[]): Promise<ReadonlyMap<string, number>>
}): SearchBlocks {
  const electraTime = electraEpoch === null ? Number.POSITIVE_INFINITY : timeOfEpoch(times, electraEpoch)

  /** Those for these validators; for everyone also those for keys that are in no registry yet, or never will be. */
  async function wantedOf(events: readonly DepositEvent[], validators: SearchedFor): Promise<readonly DepositEvent[]> {
    if (validators === 'all') return events
    const indices = await findIndices([...new Set(events.map(({ pubkey }) => pubkey))])
    const wanted = new Set(validators)
    return events.filter(({ pubkey }) => wanted.has(indices.get(pubkey) ?? -1))
  }

  /** When the blocks were made whose time the logs do not say. */
  async function readTimes(events: readonly DepositEvent[]): Promise<ReadonlyMap<bigint, number>> {
    const untold = new Set(events.filter(({ blockTime }) => blockTime === null).map(({ blockNumber }) => blockNumber))
    const requests = [...untold].map(blockRequest)
    const blocks = await pool.session().run((endpoint) => requestEach(endpoint, requests))
    return new Map(blocks.map(valueOrThrow).map(({ number, timestamp }) => [number, timestamp]))
  }

  function depositOf({ blockNumber, blockTime, ...event }: DepositEvent, read: ReadonlyMap<bigint, number>): Deposit {
    const time = blockTime ?? read.get(blockNumber)
    if (time === undefined) throw new UpstreamError('invalid', 'the node answered with other blocks')
    if (time >= electraTime) return { ...event, slot: slotOfBlock(times, time), searchSlot: 0 }
    // What was there before genesis may be in its state.
    return { ...event, slot: null, searchSlot: time < times.genesisTime ? 0 : slotAt(times, time) + 1 }
  }

  return async ({ fromBlock, toBlock, validators }) => {
    const { deposits, covered, missing, failure } = await findDeposits(pool, contract, { fromBlock, toBlock })
    const wanted = await wantedOf(deposits, validators)
    const read = await readTimes(wanted)
    const rows = wanted.map((event) => depositOf(event, read))
    for (const range of covered) await store.save({ ...range, validators, rows })
    if (missing.length > 0) throw failure ?? new UpstreamError('unavailable', 'the range took too long')
  }
}
