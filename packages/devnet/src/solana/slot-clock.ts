import { Clock, EpochSchedule, type LiteSVM, StakeHistoryEntry } from 'litesvm'
import { createTimeline, SLOTS_PER_EPOCH } from './timeline.ts'

/** Lamports of the whole cluster's stake. */
export type ClusterStake = { effective: bigint; activating: bigint; deactivating: bigint }

const LAMPORTS_PER_SOL = 1_000_000_000n
const HISTORY_EPOCHS = 512n
/** Like mainnet: a wallet's change takes full effect at the end of its epoch. */
const USUAL_STAKE: ClusterStake = {
  effective: 400_000_000n * LAMPORTS_PER_SOL,
  activating: 1_000_000n * LAMPORTS_PER_SOL,
  deactivating: 1_000_000n * LAMPORTS_PER_SOL,
}

/**
 * Keeps the sysvars `Clock`, `EpochSchedule` and `StakeHistory` in agreement. An epoch enters the history when it ends.
 */
export const createSlotClock = (svm: LiteSVM, start: { slot: bigint; unixTime: bigint }) => {
  const timeline = createTimeline(start)
  const clusterStakes = new Map<bigint, ClusterStake>()
  let epochStart = start.unixTime
  let epoch = timeline.epoch()

  const record = (from: bigint, to: bigint): void => {
    const history = svm.getStakeHistory()
    for (let each = from; each < to; each += 1n) {
      const { effective, activating, deactivating } = clusterStakes.get(each) ?? USUAL_STAKE
      history.add(each, new StakeHistoryEntry(effective, activating, deactivating))
    }
    svm.setStakeHistory(history)
  }

  const time = (): bigint => timeline.timeOf(timeline.slot()) ?? start.unixTime

  const publish = (): void => {
    const next = timeline.epoch()
    if (next > epoch) {
      record(epoch, next)
      epochStart = timeline.timeOf(next * SLOTS_PER_EPOCH) ?? time()
      epoch = next
    }
    svm.setClock(new Clock(timeline.slot(), epochStart, epoch, epoch + 1n, time()))
  }

  svm.setEpochSchedule(new EpochSchedule(SLOTS_PER_EPOCH, SLOTS_PER_EPOCH, false, 0n, 0n))
  record(epoch > HISTORY_EPOCHS ? epoch - HISTORY_EPOCHS : 0n, epoch)
  publish()

  return {
    slot: timeline.slot,
    epoch: timeline.epoch,
    time,
    timeOf: timeline.timeOf,
    slotsUntil: timeline.slotsUntil,
    moveTo: (slot: bigint): void => {
      timeline.moveTo(slot)
      publish()
    },
    setTime: (unixTime: bigint): void => {
      timeline.setTime(unixTime)
      publish()
    },
    /** Overrides the history of a past or future epoch. */
    setClusterStake: (of: bigint, stake: ClusterStake): void => {
      clusterStakes.set(of, stake)
      if (of < epoch) record(of, of + 1n)
    },
  }
}
