import type { BeaconNode } from '../../../beacon/beacon-node.ts'
import { type BeaconRequest, NoHistory } from '../../../beacon/beacon-request.ts'
import {
  type BeaconBlock,
  type BeaconHeader,
  beaconBlockRequest,
  headerRequest,
} from '../../../beacon/block-requests.ts'
import { committeesRequest, proposerDutiesRequest, syncCommitteeRequest } from '../../../beacon/duty-requests.ts'
import type { BeaconSpec, Checkpoint } from '../../../beacon/network-requests.ts'
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
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type RegistrySnapshot, readSnapshot } from './registry-snapshot.ts'

/** Exchanges under way at once with one node. */
const AT_ONCE = 8
/** Answers about slots that are kept: those of the epochs that are read at once and the one after them. */
const KEPT_OF_SLOTS = 512
/** Answers about epochs, which may be long. */
const KEPT_OF_EPOCHS = 8
/** Other answers about everyone: of an epoch its rewards and committees. */
const KEPT_OF_EVERYONE = 2
/** Of more validators than these the rewards of all are asked for: nodes refuse bodies that are too long. */
const MOST_NAMED = 10_000

/**
 * What one node says of epochs that are final. Each thing is asked once; who reads epochs from the newest one down finds
 * what the epoch after has been asked for.
 */
export type EpochReads = ReturnType<typeof createEpochReads>

export function createEpochReads(
  node: Pick<BeaconNode, 'request'>,
  spec: Pick<BeaconSpec, 'slotsPerEpoch' | 'epochsPerSyncCommitteePeriod'>,
  finalized: Checkpoint,
  {
    exactInLeaks,
    isOfEveryone,
    onceOfRegistry,
  }: { exactInLeaks: boolean; isOfEveryone: boolean; onceOfRegistry: Once },
) {
  const { slotsPerEpoch } = spec
  const gate = createGate(AT_ONCE)
  const ask = <T>(request: BeaconRequest<T>): Promise<T> => gate(() => node.request(request))
  const once = createOnce(KEPT_OF_SLOTS)
  const onceOfPeriod = createOnce(KEPT_OF_EPOCHS)
  const onceOfEpoch = createOnce(KEPT_OF_EPOCHS)
  const onceOfEveryone = createOnce(KEPT_OF_EVERYONE)
  const lastSlot = (epoch: number) => (epoch + 1) * slotsPerEpoch - 1

  /** Of the block after a slot; undefined where the chain's final part has none. */
  const headerAfter = (slot: number): Promise<BeaconHeader | undefined> =>
    once(`header after ${slot}`, async () => {
      if (slot >= finalized.epoch * slotsPerEpoch) return undefined
      return (await ask(headerRequest(slot + 1))) ?? (await headerAfter(slot + 1))
    })

  const headerOf = (root: string): Promise<BeaconHeader> =>
    once(`header ${root}`, async () => {
      const header = await ask(headerRequest(root))
      if (!header) throw new NoHistory(`the block ${root}`)
      return header
    })

  const registry = (epoch: number): Promise<RegistrySnapshot> =>
    onceOfRegistry(`registry ${epoch}`, () => readSnapshot(registryPages(ask, lastSlot(epoch))))

  async function readRewards(epoch: number, indices: readonly number[]): Promise<AttestationRewards> {
    const rewards = await ask(attestationRewardsRequest(epoch, indices))
    if (exactInLeaks || !touchesLeak(rewards)) return rewards
    throw new UpstreamError('invalid', `the node does not tell what an inactivity leak cost in epoch ${epoch}`)
  }

  /** A node that lacks the block says the same as one that knows there is none: the block before the next one tells. */
  async function proveMissed(slot: number): Promise<void> {
    const next = await headerAfter(slot)
    const before = await headerOf(next ? next.parentRoot : finalized.root)
    if (before.slot >= slot) throw new NoHistory(`the block of slot ${slot}`)
  }

  return {
    /** Null where the slot was missed, which is proven. */
    block: (slot: number): Promise<BeaconBlock | null> =>
      once(`block ${slot}`, async () => {
        const block = await ask(beaconBlockRequest(slot))
        if (!block) await proveMissed(slot)
        else if (block.slot !== slot) throw new UpstreamError('invalid', `the block of slot ${slot} is another`)
        return block
      }),
    /** As they are at the end of an epoch, by index; who is not in the registry by then is not among them. */
    validators: (epoch: number, indices: readonly number[]): Promise<ReadonlyMap<number, BeaconValidator>> =>
      onceOfEpoch(`validators ${epoch} ${indices.join()}`, async () => {
        const found = new Map<number, BeaconValidator>()
        for (let from = 0; from < indices.length; from += VALIDATORS_A_REQUEST) {
          const page = indices.slice(from, from + VALIDATORS_A_REQUEST)
          for (const each of await ask(validatorsRequest(lastSlot(epoch), page))) found.set(each.index, each)
        }
        return found
      }),
    /** Everyone in the registry at the end of an epoch, page by page. */
    allValidators: (epoch: number): AsyncIterable<ValidatorLife[]> =>
      isOfEveryone ? pagesOf(registry(epoch)) : registryPages(ask, lastSlot(epoch)),
    /** The same, kept for who asks for everyone in pieces. */
    registry,
    /** Of these validators at least. */
    attestationRewards: (epoch: number, indices: readonly number[]): Promise<AttestationRewards> => {
      if (!isOfEveryone) return readRewards(epoch, indices.length > MOST_NAMED ? [] : indices)
      return onceOfEveryone(`rewards ${epoch}`, () => readRewards(epoch, []))
    },
    committees: (epoch: number) =>
      onceOfEveryone(`committees ${epoch}`, () => ask(committeesRequest(lastSlot(epoch), epoch))),
    proposers: (epoch: number) =>
      onceOfEpoch(`proposers ${epoch}`, () => ask(proposerDutiesRequest(epoch, slotsPerEpoch))),
    /** The same throughout a period. */
    syncCommittee: (epoch: number) =>
      onceOfPeriod(`sync committee ${Math.floor(epoch / spec.epochsPerSyncCommitteePeriod)}`, () =>
        ask(syncCommitteeRequest(lastSlot(epoch), epoch)),
      ),
    /** Of the whole committee. */
    syncRewards: (slot: number) => once(`sync rewards ${slot}`, () => ask(syncRewardsRequest(slot, []))),
    blockReward: (slot: number) => once(`block reward ${slot}`, () => ask(blockRewardRequest(slot))),
  }
}

async function* pagesOf(registry: Promise<RegistrySnapshot>): AsyncGenerator<ValidatorLife[]> {
  const { size, slice } = await registry
  for (let from = 0; from < size; from += VALIDATORS_A_REQUEST) {
    yield [...slice(from, from + VALIDATORS_A_REQUEST).values()]
  }
}

/** In a leak nobody earns anything by attesting, and who is absent pays for some time after it. */
function touchesLeak({ ideal, total }: AttestationRewards): boolean {
  const pays = [...ideal.values()].some(({ targetGwei }) => targetGwei > 0n)
  return !pays || [...total.values()].some(({ inactivityGwei }) => inactivityGwei !== 0n)
}

/** Answers that were asked for lately; a failure is not kept. */
export type Once = <T>(key: string, read: () => Promise<T>) => Promise<T>

export function createOnce(limit: number): Once {
  const answers = new BoundedMap<string, Promise<unknown>>(limit)
  return <T>(key: string, read: () => Promise<T>) => {
    const known = answers.get(key)
    if (known) return known as Promise<T>
    const answer = read()
    answers.set(key, answer)
    answer.catch(() => answers.delete(key))
    return answer
  }
}
