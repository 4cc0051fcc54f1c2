import type { Faults } from './faults.ts'
import type { Scenario, SlotPlan } from './slot-plan.ts'
import type { EpochTruth, Head } from './truth.ts'

export type Urls = {
  beacon: string
  /** Empty without an execution node. */
  execution: string
}

export type Commands = {
  /** Default plan: uneventful slots. Returns the new head. */
  advance(slots: number, plan?: SlotPlan): Promise<Head>
  /** Returns the new head. */
  play(scenario: Scenario, toSlot: number): Promise<Head>
  head(): Promise<Head>
  /** `{}` clears all. */
  setFaults(faults: Faults): Promise<void>
  /** Requests to the Beacon API since the last call, as `GET /eth/…`. */
  takeRequests(): Promise<string[]>
  /** Completed epochs from `fromEpoch` on. */
  truth(fromEpoch?: number): Promise<EpochTruth[]>
  residentBytes(): Promise<number>
}

export type Request = { id: number; method: keyof Commands | 'start'; args: readonly unknown[] }
export type Reply = { id: number; result: unknown } | { id: number; error: string }
