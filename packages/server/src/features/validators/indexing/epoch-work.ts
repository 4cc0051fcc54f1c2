import type { BeaconTimes, EpochRange } from '../../../domain/beacon-time.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { EpochReads } from './epoch-reads.ts'
import type { OnNode } from './node-reads.ts'

/** The epochs to index, and where they are stored. */
export type EpochWork<Wanted extends EpochRange, Read> = {
  /** Whether nodes are asked for all validators at once. */
  isOfEveryone: boolean
  /** Epochs that are read at once; they are stored in their order. */
  ahead: number
  /** Returns false if no validator's epochs are wanted. */
  begin(): Promise<boolean>
  /** Epochs of a range that are not indexed, newest first. */
  missing(within: EpochRange): Promise<Wanted[]>
  /**
   * Marks epochs without any activity as covered, however many, without reading them. True if there were any: `missing`
   * then has to be asked again.
   */
  coverIdle(wanted: Wanted, facts: BeaconFacts, onNode: OnNode): Promise<boolean>
  read(reads: EpochReads, epoch: number, wanted: Wanted, facts: BeaconFacts): Promise<Read>
  /** Stores a whole epoch together with its coverage. */
  save(times: BeaconTimes, epoch: number, wanted: Wanted, read: Read): Promise<void>
}
