import type { BeaconNode } from '../../../beacon/beacon-pool.ts'
import { type BeaconRequest, NoHistory } from '../../../beacon/beacon-request.ts'
import {
  type BeaconBlock,
  type BeaconHeader,
  beaconBlockRequest,
  headerRequest,
} from '../../../beacon/block-requests.ts'
import { committeesRequest, proposerDutiesRequest, syncCommitteeRequest } from '../../../beacon/duty-requests.ts'
import {
  type BeaconSpec,
  type Checkpoint,
  finalityRequest,
  genesisRequest,
  nodeVersionRequest,
} from '../../../beacon/network-requests.ts'
import {
  type AttestationRewards,
  attestationRewardsRequest,
  blockRewardRequest,
  syncRewardsRequest,
} from '../../../beacon/reward-requests.ts'
import {
  type BeaconValidator,
  registryPages,
  VALIDATORS_A_REQUEST,
  type ValidatorLife,
  validatorsRequest,
} from '../../../beacon/validator-requests.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { createKept, type Kept } from '../../../lib/kept.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import { type RegistrySnapshot, readSnapshot } from './registry-snapshot.ts'

const AT_ONCE = 8
/** Covers the epochs read at once and the one after. */
const KEPT_OF_SLOTS = 512
/** Each may be large. */
const KEPT_OF_EPOCHS = 8
/** Rewards and committees of one epoch. */
const KEPT_OF_EVERYONE = 2
/** Beyond it all rewards are requested: nodes reject long bodies. */
const MOST_NAMED = 10_000

type ReadOptions = { exactInLeaks: boolean; isOfEveryone: boolean; registries: Kept<RegistrySnapshot> }

/** Callers go from the newest epoch down and reuse answers of the epoch after. */
export type EpochReads = ReturnType<typeof createEpochReads>

function createEpochReads(
  node: BeaconNode,
  { slotsPerEpoch, epochsPerSyncCommitteePeriod }: BeaconSpec,
  finalized: Checkpoint,
  { exactInLeaks, isOfEveryone, registries }: ReadOptions,
) {
  const gate = createGate(AT_ONCE)
  const ask = <T>(request: BeaconRequest<T>): Promise<T> => gate(() => node.request(request))
  const { get: once } = createKept<unknown>({ most: KEPT_OF_SLOTS })
  const { get: onceOfPeriod } = createKept<unknown>({ most: KEPT_OF_EPOCHS })
  const { get: onceOfEpoch } = createKept<unknown>({ most: KEPT_OF_EPOCHS })
  const { get: onceOfEveryone } = createKept<unknown>({ most: KEPT_OF_EVERYONE })
  const lastSlot = (epoch: number) => (epoch + 1) * slotsPerEpoch - 1

  const headerAfter = (slot: number): Promise<BeaconHeader | null> =>
    once(`header after ${slot}`, async () => {
      if (slot >= finalized.epoch * slotsPerEpoch) return null
      return (await ask(headerRequest(slot + 1))) ?? (await headerAfter(slot + 1))
    })

  const headerOf = (root: string): Promise<BeaconHeader> =>
    once(`header ${root}`, async () => {
      const header = await ask(headerRequest(root))
      if (!header) throw new NoHistory(`the block ${root}`)
      return header
    })

  const registry = (epoch: number): Promise<RegistrySnapshot> =>
    registries.get(`registry ${epoch}`, () => readSnapshot(registryPages(ask, lastSlot(epoch))))

  async function readRewards(epoch: number, indices: readonly number[]): Promise<AttestationRewards> {
    const rewards = await ask(attestationRewardsRequest(epoch, indices))
    if (exactInLeaks || !touchesLeak(rewards)) return rewards
    throw new UpstreamError('invalid', `the node does not tell what an inactivity leak cost in epoch ${epoch}`)
  }

  /** A lost block and a missed slot look the same; the parent of the next block distinguishes them. */
  async function proveMissed(slot: number): Promise<void> {
    const next = await headerAfter(slot)
    const before = await headerOf(next ? next.parentRoot : finalized.root)
    if (before.slot >= slot) throw new NoHistory(`the block of slot ${slot}`)
  }

  return {
    /** Null: proven to be missed. */
    block: (slot: number): Promise<BeaconBlock | null> =>
      once(`block ${slot}`, async () => {
        const block = await ask(beaconBlockRequest(slot))
        if (!block) await proveMissed(slot)
        else if (block.slot !== slot) throw new UpstreamError('invalid', `the block of slot ${slot} is another`)
        return block
      }),
    /** At the end of the epoch. */
    validators: (epoch: number, indices: readonly number[]): Promise<ReadonlyMap<number, BeaconValidator>> =>
      onceOfEpoch(`validators ${epoch} ${indices.join()}`, async () => {
        const found = new Map<number, BeaconValidator>()
        for (const page of pagesOf(indices, VALIDATORS_A_REQUEST)) {
          for (const each of await ask(validatorsRequest(lastSlot(epoch), page))) found.set(each.index, each)
        }
        return found
      }),
    allValidators: (epoch: number): AsyncIterable<ValidatorLife[]> =>
      isOfEveryone ? snapshotPages(registry(epoch)) : registryPages(ask, lastSlot(epoch)),
    registry,
    /** Includes at least these. */
    attestationRewards: (epoch: number, indices: readonly number[]): Promise<AttestationRewards> => {
      if (!isOfEveryone) return readRewards(epoch, indices.length > MOST_NAMED ? [] : indices)
      return onceOfEveryone(`rewards ${epoch}`, () => readRewards(epoch, []))
    },
    committees: (epoch: number) =>
      onceOfEveryone(`committees ${epoch}`, () => ask(committeesRequest(lastSlot(epoch), epoch))),
    proposers: (epoch: number) =>
      onceOfEpoch(`proposers ${epoch}`, () => ask(proposerDutiesRequest(epoch, slotsPerEpoch))),
    syncCommittee: (epoch: number) =>
      onceOfPeriod(`sync committee ${Math.floor(epoch / epochsPerSyncCommitteePeriod)}`, () =>
        ask(syncCommitteeRequest(lastSlot(epoch), epoch)),
      ),
    syncRewards: (slot: number) => once(`sync rewards ${slot}`, () => ask(syncRewardsRequest(slot, []))),
    blockReward: (slot: number) => once(`block reward ${slot}`, () => ask(blockRewardRequest(slot))),
  }
}

async function* snapshotPages(registry: Promise<RegistrySnapshot>): AsyncGenerator<ValidatorLife[]> {
  const { size, slice } = await registry
  for (let from = 0; from < size; from += VALIDATORS_A_REQUEST) {
    yield [...slice(from, from + VALIDATORS_A_REQUEST).values()]
  }
}

/** In a leak attesting earns nothing, and absent validators pay for some time after it. */
function touchesLeak({ ideal, total }: AttestationRewards): boolean {
  const pays = [...ideal.values()].some(({ targetGwei }) => targetGwei > 0n)
  return !pays || [...total.values()].some(({ inactivityGwei }) => inactivityGwei !== 0n)
}

/** Up to 1.46 it uses Altair's quotient before finality: it understates a leak's penalties threefold. */
const WRONG_IN_LEAKS = /^lodestar\b/i

const KEPT_REGISTRIES = 2

/** Per run. `registries`: the previous run usually read one of the two that a new epoch needs. */
export type NodeReads = {
  facts: BeaconFacts
  isOfEveryone: boolean
  registries: WeakMap<BeaconNode, Kept<RegistrySnapshot>>
  opened: Map<BeaconNode, { finalizedEpoch: number; reads: EpochReads }>
}

/** Rejects for nodes of other chains, and those without final epochs. */
export async function readsOn(context: NodeReads, node: BeaconNode, epoch: number): Promise<EpochReads> {
  const { facts, isOfEveryone, registries: byNode, opened } = context
  const known = opened.get(node)
  if (known && known.finalizedEpoch >= epoch + 2) return known.reads
  const [finalized, genesis, version] = await Promise.all([
    node.request(finalityRequest),
    node.request(genesisRequest),
    node.request(nodeVersionRequest),
  ])
  if (genesis.genesisValidatorsRoot !== facts.genesisValidatorsRoot) {
    throw new UpstreamError('not-allowed', `${node.label} follows another chain`)
  }
  if (finalized.epoch < epoch + 2) {
    throw new UpstreamError('unavailable', `epoch ${epoch} is not final on ${node.label}`)
  }
  const registries = byNode.get(node) ?? createKept({ most: KEPT_REGISTRIES })
  byNode.set(node, registries)
  const exactInLeaks = !WRONG_IN_LEAKS.test(version)
  const reads = createEpochReads(node, facts.spec, finalized, { exactInLeaks, isOfEveryone, registries })
  opened.set(node, { finalizedEpoch: finalized.epoch, reads })
  return reads
}
