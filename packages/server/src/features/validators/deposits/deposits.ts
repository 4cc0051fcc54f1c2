import { setImmediate as turn } from 'node:timers/promises'
import type { ValidatorDeposit } from '@coffer/contract'
import type { DepositEvent, ExecutionReading } from '../../../chains/execution-reading.ts'
import { type BeaconTimes, epochOfSlot, slotAt, timeOfEpoch, timeOfSlot } from '../../../domain/beacon-time.ts'
import { isDepositSigned } from '../../../domain/deposit-signature.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconFacts, slotOfBlock } from '../beacon-chain.ts'
import { inWei, type PresentedPage } from '../present.ts'
import type { ScannedPage, SearchBlocks, SearchedFor } from '../scans/scan-store.ts'
import type { ScannedPages } from '../scans/scanned-pages.ts'
import type { ValidatorId } from '../tracking.ts'
import type { Validator } from '../validator-store.ts'
import type { Deposit, DepositStore, PlacedDeposit } from './deposit-store.ts'

/** Credentials with these prefixes end in the withdrawal address. */
const ADDRESS_PREFIXES = ['0x01', '0x02']
const PREFIX_DIGITS = 4
const ADDRESS_DIGITS = 40

export type Deposits = ReturnType<typeof createDeposits>

export function createDeposits({
  store,
  pages,
  chain,
}: {
  store: Pick<DepositStore, 'page' | 'noteSigned'>
  pages: ScannedPages
  chain: { facts(): Promise<Pick<BeaconFacts, 'genesisForkVersion'>> }
}) {
  async function find(validator: Validator, place: Place): Promise<ScannedPage<PlacedDeposit>> {
    for (;;) {
      const page = await store.page(validator, place)
      if (!('unlooked' in page)) return page
      const { genesisForkVersion } = await chain.facts()
      // Verification takes tens of milliseconds.
      await turn()
      await store.noteSigned(page.unlooked.index, isDepositSigned(page.unlooked, genesisForkVersion))
    }
  }

  /** Final blocks only, newest first. Throws NOT_FOUND for an unknown validator. */
  function list(id: ValidatorId, place: Place): Promise<PresentedPage<ValidatorDeposit>> {
    return pages.show(id, place, find, (times, { slot, index, amountGwei, withdrawalCredentials }) => ({
      slot,
      epoch: epochOfSlot(times, slot),
      timestamp: timeOfSlot(times, slot),
      amount: inWei(amountGwei),
      depositIndex: Number(index),
      withdrawalCredentials,
      withdrawalAddress: addressIn(withdrawalCredentials),
    }))
  }

  return { list }
}

function addressIn(credentials: string): string | null {
  const isAddress = ADDRESS_PREFIXES.includes(credentials.slice(0, PREFIX_DIGITS))
  return isAddress ? `0x${credentials.slice(-ADDRESS_DIGITS)}` : null
}

/** On mainnet some thousand deposits, at most some ten thousand. */
export const DEPOSIT_PIECE_BLOCKS = 20_000n

/**
 * Since Electra a deposit is in the beacon block whose payload logged it. Earlier deposits are in later beacon blocks,
 * which `placeDeposits` finds.
 */
export function createSearchDeposits({
  store,
  execution,
  times,
  contract,
  electraEpoch,
  findIndices,
}: {
  store: DepositStore
  execution: Pick<ExecutionReading, 'blocks' | 'deposits'>
  times: BeaconTimes
  contract: string
  /** Null if the fork is not planned. */
  electraEpoch: number | null
  findIndices(pubkeys: readonly string[]): Promise<ReadonlyMap<string, number>>
}): SearchBlocks {
  const electraTime = electraEpoch === null ? Number.POSITIVE_INFINITY : timeOfEpoch(times, electraEpoch)

  /** `all` includes keys without a validator. */
  async function wantedOf(events: readonly DepositEvent[], validators: SearchedFor): Promise<readonly DepositEvent[]> {
    if (validators === 'all') return events
    const indices = await findIndices([...new Set(events.map(({ pubkey }) => pubkey))])
    const wanted = new Set(validators)
    return events.filter(({ pubkey }) => wanted.has(indices.get(pubkey) ?? -1))
  }

  async function readTimes(events: readonly DepositEvent[]): Promise<ReadonlyMap<bigint, number>> {
    const untold = new Set(events.filter(({ blockTime }) => blockTime === null).map(({ blockNumber }) => blockNumber))
    const blocks = await execution.blocks([...untold])
    return new Map(blocks.map(({ number, timestamp }) => [number, timestamp]))
  }

  function depositOf({ blockNumber, blockTime, ...event }: DepositEvent, read: ReadonlyMap<bigint, number>): Deposit {
    const time = blockTime ?? read.get(blockNumber)
    if (time === undefined) throw new UpstreamError('invalid', 'the node answered with other blocks')
    if (time >= electraTime) return { ...event, slot: slotOfBlock(times, time), searchSlot: 0 }
    // A deposit made before genesis may be in the genesis state.
    return { ...event, slot: null, searchSlot: time < times.genesisTime ? 0 : slotAt(times, time) + 1 }
  }

  return async ({ fromBlock, toBlock, validators }) => {
    const { deposits, covered, missing, failure } = await execution.deposits(contract, { fromBlock, toBlock })
    const wanted = await wantedOf(deposits, validators)
    const read = await readTimes(wanted)
    const rows = wanted.map((event) => depositOf(event, read))
    for (const range of covered) await store.save({ ...range, validators, rows })
    if (missing.length > 0) throw failure ?? new UpstreamError('unavailable', 'the range took too long')
  }
}
