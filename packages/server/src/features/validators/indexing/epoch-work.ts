import type { BeaconTimes, EpochRange } from '../../../domain/beacon-time.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { EpochReads, OnNode } from './epoch-reads.ts'

export type EpochWork<Wanted extends EpochRange, Read> = {
  isOfEveryone: boolean
  /** Concurrent epochs; stored in order. */
  ahead: number
  /** Returns false if no epochs are wanted. */
  begin(): Promise<boolean>
  /** Newest first. */
  missing(within: EpochRange): Promise<Wanted[]>
  /** Covers epochs without activity unread. True if there were any: then ask `missing` again. */
  coverIdle(wanted: Wanted, facts: BeaconFacts, onNode: OnNode): Promise<boolean>
  read(reads: EpochReads, epoch: number, wanted: Wanted, facts: BeaconFacts): Promise<Read>
  /** Stores the whole epoch with its coverage. */
  save(times: BeaconTimes, epoch: number, wanted: Wanted, read: Read): Promise<void>
}
