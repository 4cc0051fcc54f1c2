import type { BeaconTimes, EpochRange } from '../../domain/beacon-time.ts'
import type { Validator } from './validator-store.ts'

/**
 * What lists about validators ask of the beacon chain. Each rejects while no node can tell: with `UpstreamError`, or where
 * none is configured with the `Failure` that says so.
 */
export type BeaconFacts = {
  times(): Promise<BeaconTimes>
  /** The epochs whose rewards count: from the start of rewards to the last one that is final with the two after it. */
  rewardEpochs(): Promise<EpochRange>
  /**
   * By index, or by public key in lower case; undefined when there is no such validator. One that is not final may yet have
   * another index, or none.
   */
  findValidator(by: number | string): Promise<(Validator & { isFinal: boolean }) | undefined>
}
