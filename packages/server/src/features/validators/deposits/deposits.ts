import { setImmediate as turn } from 'node:timers/promises'
import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { DepositEvent } from '../../../chains/execution-reading.ts'
import { type BeaconTimes, slotAt, timeOfEpoch } from '../../../domain/beacon-time.ts'
import { isDepositSigned } from '../../../domain/deposit-signature.ts'
import type { Place } from '../../../domain/reward-buckets.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconFacts, slotOfBlock } from '../beacon-chain.ts'
import type { ScanContext, ValidatorsContext } from '../context.ts'
import { inWei, placeOfSlot, scannedPage } from '../present.ts'
import type { MissingBlocks, ScannedPage } from '../scans/scan-store.ts'
import type { ValidatorId } from '../tracking.ts'
import type { Validator, ValidatorSet } from '../validator-store.ts'
import type { Deposit } from './deposit-store.ts'

/** Credentials with these prefixes end in the withdrawal address. */
const ADDRESS_PREFIXES = ['0x01', '0x02']
const PREFIX_DIGITS = 4
const ADDRESS_DIGITS = 40

export function listDeposits(context: ValidatorsContext, id: ValidatorId, place: Place) {
  const { deposits, chain } = context

  async function find(validator: Validator): Promise<ScannedPage<Deposit>> {
    for (;;) {
      const page = await deposits.page(validator, place)
      if (!('unlooked' in page)) return page
      const { genesisForkVersion } = await chain.facts()
      await turn()
      await deposits.noteSigned(page.unlooked.index, isDepositSigned(page.unlooked, genesisForkVersion))
    }
  }

  return scannedPage(context, id, place, find, (times, { slot, index, amountGwei, withdrawalCredentials }) => ({
    ...placeOfSlot(times, Number(slot)),
    amount: inWei(amountGwei),
    depositIndex: Number(index),
    withdrawalCredentials,
    withdrawalAddress: addressIn(withdrawalCredentials),
  }))
}

function addressIn(credentials: string): string | null {
  const isAddress = ADDRESS_PREFIXES.includes(credentials.slice(0, PREFIX_DIGITS))
  return isAddress ? `0x${credentials.slice(-ADDRESS_DIGITS)}` : null
}

/** On mainnet some thousand deposits, at most some ten thousand. */
export const DEPOSIT_PIECE_BLOCKS = 20_000n

/** Since Electra a deposit is in the block whose payload logged it; `placeDeposits` finds earlier ones. */
export async function searchDeposits(
  context: ScanContext,
  { times, spec }: BeaconFacts,
  contract: string,
  { fromBlock, toBlock, validators }: MissingBlocks,
): Promise<void> {
  const { deposits: store, execution } = context
  const { deposits, covered, missing, failure } = await execution.deposits(contract, { fromBlock, toBlock })
  const wanted = await wantedOf(context, deposits, validators)
  const read = await readTimes(context, wanted)
  const rows = wanted.map((event) => depositOf(event, event.blockTime ?? read.get(event.blockNumber), times, spec))
  for (const range of covered) await store.save({ ...range, validators, rows })
  if (missing.length > 0) throw failure ?? new UpstreamError('unavailable', 'the range took too long')
}

async function wantedOf({ store }: ScanContext, events: readonly DepositEvent[], validators: ValidatorSet) {
  if (validators === 'all') return events
  const indices = await store.findIndices([...new Set(events.map(({ pubkey }) => pubkey))])
  const wanted = new Set(validators)
  return events.filter(({ pubkey }) => wanted.has(indices.get(pubkey) ?? -1))
}

async function readTimes({ execution }: ScanContext, events: readonly DepositEvent[]) {
  const unreported = new Set(events.filter(({ blockTime }) => blockTime === null).map(({ blockNumber }) => blockNumber))
  const blocks = await execution.blocks([...unreported])
  return new Map(blocks.map(({ number, timestamp }) => [number, timestamp]))
}

function depositOf(
  { blockNumber: _, blockTime: __, ...event }: DepositEvent,
  time: number | undefined,
  times: BeaconTimes,
  { forkEpochs: { electra } }: BeaconSpec,
): Deposit {
  if (time === undefined) throw new UpstreamError('invalid', 'the node answered with other blocks')
  const isSinceElectra = electra !== null && time >= timeOfEpoch(times, electra)
  if (isSinceElectra) return { ...event, slot: slotOfBlock(times, time), searchSlot: 0 }
  // A deposit made before genesis may be in the genesis state.
  return { ...event, slot: null, searchSlot: time < times.genesisTime ? 0 : slotAt(times, time) + 1 }
}
