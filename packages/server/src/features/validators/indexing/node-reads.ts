import type { BeaconNode } from '../../../beacon/beacon-node.ts'
import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { finalityRequest, genesisRequest, nodeVersionRequest } from '../../../beacon/network-requests.ts'
import { createKept, type Kept } from '../../../lib/kept.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import { createEpochReads, type EpochReads } from './epoch-reads.ts'
import type { RegistrySnapshot } from './registry-snapshot.ts'

/**
 * Lodestar (seen up to 1.46) computes attestation rewards before the epoch's finality and inactivity, with Altair's
 * quotient. In an inactivity leak it understates penalties, up to threefold.
 */
const WRONG_IN_LEAKS = /^lodestar\b/i

/** Runs on one node that has the epoch and the two after it final. */
export type OnNode = <T>(epoch: number, work: (reads: EpochReads) => Promise<T>) => Promise<T>

const KEPT_REGISTRIES = 2

/** Kept, as the previous run usually read one of the two registries that a new epoch needs. */
export type KeptRegistries = WeakMap<BeaconNode, Kept<RegistrySnapshot>>

/** Skips nodes of other chains. */
export function createOnNode(
  pool: BeaconPool,
  { genesisValidatorsRoot, spec }: BeaconFacts,
  { isOfEveryone, registries: byNode }: { isOfEveryone: boolean; registries: KeptRegistries },
): OnNode {
  const session = pool.session()
  const opened = new Map<BeaconNode, { finalizedEpoch: number; reads: EpochReads }>()

  async function open(node: BeaconNode, epoch: number): Promise<EpochReads> {
    const known = opened.get(node)
    if (known && known.finalizedEpoch >= epoch + 2) return known.reads
    const [finalized, genesis, version] = await Promise.all([
      node.request(finalityRequest),
      node.request(genesisRequest),
      node.request(nodeVersionRequest),
    ])
    if (genesis.genesisValidatorsRoot !== genesisValidatorsRoot) {
      throw new UpstreamError('not-allowed', `${node.label} follows another chain`)
    }
    if (finalized.epoch < epoch + 2) {
      throw new UpstreamError('unavailable', `epoch ${epoch} is not final on ${node.label}`)
    }
    const registries = byNode.get(node) ?? createKept({ most: KEPT_REGISTRIES })
    byNode.set(node, registries)
    const exactInLeaks = !WRONG_IN_LEAKS.test(version)
    const reads = createEpochReads(node, spec, finalized, { exactInLeaks, isOfEveryone, registries })
    opened.set(node, { finalizedEpoch: finalized.epoch, reads })
    return reads
  }

  return (epoch, work) => session(async (node) => work(await open(node, epoch)))
}
