/** What was delegated, and from and until which epoch. An epoch of 2^64 − 1 is "always" or "not yet". */
export type Delegation = { stake: bigint; activationEpoch: bigint; deactivationEpoch: bigint }

/** Lamports of the whole cluster's stake in an epoch. */
export type ClusterStake = { effective: bigint; activating: bigint; deactivating: bigint }

/** Lamports of a delegation that earn, that will, and that will no longer (these earn still). */
export type StakeStatus = { effective: bigint; activating: bigint; deactivating: bigint }

type History = ReadonlyMap<bigint, ClusterStake>

const BOOTSTRAP = 2n ** 64n - 1n
/** At most 9 % of the cluster's effective stake may come or go in an epoch; all changes share that. */
const RATE_BPS = 900n
const BPS = 10_000n

/**
 * What a delegation amounts to in an epoch, as the stake program computes it from the stake history (its
 * `stake_activating_and_deactivating_v2`, at the rate of 9 % in all epochs). An epoch that history no longer has is taken as through.
 */
export function stakeAt(delegation: Delegation, epoch: bigint, history: History): StakeStatus {
  const { effective, activating } = activationAt(delegation, epoch, history)
  if (epoch < delegation.deactivationEpoch) return { effective, activating, deactivating: 0n }
  const left = coolingDown(effective, delegation.deactivationEpoch, epoch, history)
  return { effective: left, activating: 0n, deactivating: left }
}

function activationAt(delegation: Delegation, epoch: bigint, history: History) {
  const { stake, activationEpoch, deactivationEpoch } = delegation
  if (activationEpoch === BOOTSTRAP) return { effective: stake, activating: 0n }
  if (activationEpoch === deactivationEpoch || epoch < activationEpoch) return { effective: 0n, activating: 0n }
  if (epoch === activationEpoch) return { effective: 0n, activating: stake }
  if (!history.has(activationEpoch)) return { effective: stake, activating: 0n }
  // Stake that was still warming up when it was deactivated goes no further.
  const until = epoch < deactivationEpoch ? epoch : deactivationEpoch
  const waiting = queuedStill(stake, activationEpoch, until, history, 'activating')
  return { effective: stake - waiting, activating: waiting }
}

function coolingDown(effective: bigint, deactivationEpoch: bigint, epoch: bigint, history: History): bigint {
  if (epoch === deactivationEpoch) return effective
  return history.has(deactivationEpoch) ? queuedStill(effective, deactivationEpoch, epoch, history, 'deactivating') : 0n
}

/** How much of `lamports` still waits in epoch `until`, having joined the queue in epoch `from`. */
function queuedStill(
  lamports: bigint,
  from: bigint,
  until: bigint,
  history: History,
  queue: 'activating' | 'deactivating',
): bigint {
  let left = lamports
  let epoch = from
  let cluster = history.get(epoch)
  while (cluster && cluster[queue] > 0n && left > 0n && epoch < until) {
    const allowed = (left * cluster.effective * RATE_BPS) / (cluster[queue] * BPS)
    // At least one lamport, so that it always comes to an end.
    left -= min(left, allowed > 0n ? allowed : 1n)
    epoch += 1n
    cluster = history.get(epoch)
  }
  return left
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
