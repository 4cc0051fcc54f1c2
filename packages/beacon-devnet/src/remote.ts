import type { Faults } from './faults.ts'
import type { Scenario, SlotPlan } from './slot-plan.ts'
import type { EpochTruth, Head } from './truth.ts'

export type Urls = {
  /** Of the Beacon API. */
  beacon: string
  /** Of the execution node's JSON-RPC; empty for a chain without one. */
  execution: string
}

/** What the process that a chain runs in is told. */
export type Commands = {
  /** So many slots more, each as the plan says; an uneventful slot unless told. Answers the new head. */
  advance(slots: number, plan?: SlotPlan): Promise<Head>
  /** On to this slot, each slot as the scenario has it. Answers the new head. */
  play(scenario: Scenario, toSlot: number): Promise<Head>
  head(): Promise<Head>
  /** What is wrong with the node from now on; `{}` heals it. */
  setFaults(faults: Faults): Promise<void>
  /** What the Beacon API was asked since this was asked last, as `GET /eth/…`. */
  takeRequests(): Promise<string[]>
  /** What each epoch that is over did to balances, from `fromEpoch` on. */
  truth(fromEpoch?: number): Promise<EpochTruth[]>
  /** Bytes of memory that the process has. */
  residentBytes(): Promise<number>
}

export type Request = { id: number; method: keyof Commands | 'start'; args: readonly unknown[] }
export type Reply = { id: number; result: unknown } | { id: number; error: string }
