import type { BeaconNode, BeaconPool } from '../../beacon/beacon-pool.ts'
import { NoHistory } from '../../beacon/beacon-request.ts'
import { beaconBlockRequest } from '../../beacon/block-requests.ts'
import { type BeaconSpec, finalityRequest, genesisRequest, specRequest } from '../../beacon/network-requests.ts'
import { type BeaconTimes, type EpochRange, slotAt, timeOfSlot } from '../../domain/beacon-time.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** Root of the genesis validators. */
export const MAINNET_ROOT = '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95'
/** The Merge. */
const MAINNET_FIRST_EPOCH = 146_875

/** One slot. Finality advances once per epoch (32 slots). */
const KNOWN_MS = 12_000
/** Rewards are credited as the next epoch ends. */
const EPOCHS_UNTIL_COUNTED = 2

export type BeaconFacts = {
  genesisValidatorsRoot: string
  /** Deposits are signed for this version in every fork. */
  genesisForkVersion: string
  times: BeaconTimes
  spec: BeaconSpec
  firstEpoch: number
}

export type BeaconChain = ReturnType<typeof createBeaconChain>

/** Rejects with `UpstreamError`. */
export function createBeaconChain(pool: BeaconPool, rewardsFrom: number | null, clock: Clock = systemClock) {
  const kept = createKept<BeaconFacts>()
  const finality = createKept<number>({ clock, freshMs: KNOWN_MS })
  const facts = () => kept.get('facts', () => readFacts(pool, rewardsFrom))

  /** While no node answers, the last known epoch counts. */
  async function countedEpochs(): Promise<EpochRange> {
    const { firstEpoch } = await facts()
    return { fromEpoch: firstEpoch, toEpoch: (await finality.get('finality', readFinality)) - EPOCHS_UNTIL_COUNTED }
  }

  async function readFinality(before: number | undefined): Promise<number> {
    try {
      return Math.max((await pool.request(finalityRequest)).epoch, before ?? 0)
    } catch (thrown) {
      if (before === undefined || !(thrown instanceof UpstreamError)) throw thrown
      return before
    }
  }

  return { facts, countedEpochs }
}

async function readFacts(pool: BeaconPool, rewardsFrom: number | null): Promise<BeaconFacts> {
  return pool.run(async (node) => {
    const [{ genesisTime, ...genesis }, spec] = await Promise.all([
      node.request(genesisRequest),
      node.request(specRequest),
    ])
    const { secondsPerSlot, slotsPerEpoch } = spec
    const found = { ...genesis, spec, times: { genesisTime, secondsPerSlot, slotsPerEpoch } }
    if (rewardsFrom !== null) return { ...found, firstEpoch: rewardsFrom }
    if (genesis.genesisValidatorsRoot === MAINNET_ROOT) return { ...found, firstEpoch: MAINNET_FIRST_EPOCH }
    return { ...found, firstEpoch: await firstPayloadEpoch(node, spec) }
  })
}

/** Takes some twenty requests if the Merge came after its fork. */
async function firstPayloadEpoch(node: BeaconNode, spec: BeaconSpec): Promise<number> {
  const { mergedAtFork, forkEpochs, slotsPerEpoch } = spec
  if (forkEpochs.bellatrix === null) throw new UpstreamError('invalid', 'the beacon chain has no execution payloads')
  if (mergedAtFork) return forkEpochs.bellatrix
  let [from, to] = [forkEpochs.bellatrix, (await node.request(finalityRequest)).epoch]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await endsWithPayload(node, middle, slotsPerEpoch)) to = middle
    else from = middle + 1
  }
  return from
}

async function endsWithPayload(node: BeaconNode, epoch: number, slotsPerEpoch: number): Promise<boolean> {
  const first = epoch * slotsPerEpoch
  for (let slot = first + slotsPerEpoch - 1; slot >= first; slot -= 1) {
    const block = await node.request(beaconBlockRequest(slot))
    if (block) return block.executionPayload !== null
  }
  throw new NoHistory(`the blocks of epoch ${epoch}; COFFER_BEACON_REWARDS_FROM names the first epoch`)
}

export function slotOfBlock(times: BeaconTimes, timestamp: number): number {
  const slot = slotAt(times, timestamp)
  if (slot < 0 || timeOfSlot(times, slot) !== timestamp) {
    throw new UpstreamError('invalid', 'the time of an execution block is not that of a slot')
  }
  return slot
}
