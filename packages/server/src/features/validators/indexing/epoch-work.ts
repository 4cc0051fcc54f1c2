import type { BeaconTimes, EpochRange } from '../../../domain/beacon-time.ts'
import type { BeaconFacts } from '../beacon-chain.ts'
import type { EpochReads } from './epoch-reads.ts'
import type { OnNode } from './node-reads.ts'

/** Whose epochs are indexed, and where they are kept. */
export type EpochWork<Wanted extends EpochRange, Read> = {
  /** Whether nodes are asked for what they tell of everyone at once. */
  isOfEveryone: boolean
  /** Epochs that are read at once; they are stored in their order. */
  ahead: number
  /** False where there is nobody whose epochs are wanted. */
  begin(): Promise<boolean>
  /** Epochs of a range that are not indexed, newest first. */
  missing(within: EpochRange): Promise<Wanted[]>
  /** Covers what nobody needs to read, however long it is. True where there was any: then something else is missing. */
  coverIdle(wanted: Wanted, facts: BeaconFacts, onNode: OnNode): Promise<boolean>
  read(reads: EpochReads, epoch: number, wanted: Wanted, facts: BeaconFacts): Promise<Read>
  /** The epoch as it was read, whole, with its being covered. */
  save(times: BeaconTimes, epoch: number, wanted: Wanted, read: Read): Promise<void>
}
