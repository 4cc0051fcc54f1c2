/** An epoch of 2^64 − 1 means "always" or "not yet". */
export type Delegation = { stake: bigint; activationEpoch: bigint; deactivationEpoch: bigint }

export type ClusterStake = { effective: bigint; activating: bigint; deactivating: bigint }

/** Deactivating stake still earns. */
export type StakeStatus = { effective: bigint; activating: bigint; deactivating: bigint }

type History = ReadonlyMap<bigint, ClusterStake>

const BOOTSTRAP = 2n ** 64n - 1n
/** At most 9 % of the cluster's effective stake may change per epoch, in total. */
const RATE_BPS = 900n
const BPS = 10_000n

/**
 * Follows the stake program's `stake_activating_and_deactivating_v2`. Changes older than the history count as complete.
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
  // Deactivation ends a warm-up.
  const until = epoch < deactivationEpoch ? epoch : deactivationEpoch
  const waiting = queuedStill(stake, activationEpoch, until, history, 'activating')
  return { effective: stake - waiting, activating: waiting }
}

function coolingDown(effective: bigint, deactivationEpoch: bigint, epoch: bigint, history: History): bigint {
  if (epoch === deactivationEpoch) return effective
  return history.has(deactivationEpoch) ? queuedStill(effective, deactivationEpoch, epoch, history, 'deactivating') : 0n
}

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
    // At least one lamport, so that every change completes.
    left -= min(left, allowed > 0n ? allowed : 1n)
    epoch += 1n
    cluster = history.get(epoch)
  }
  return left
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
