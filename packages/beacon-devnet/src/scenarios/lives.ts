import { createHash } from 'node:crypto'
import { type BeaconDevnetOptions, FORKS, type Fork, type GenesisValidator, type Preset } from '../options.ts'
import type { Scenario, ScenarioStep } from '../slot-plan.ts'

const ETH = 1_000_000_000
const GENESIS_VALIDATORS = 64
const SLOTS_PER_EPOCH = { mainnet: 32, minimal: 8 }
const SHORTEST_LEAK_EPOCHS = 9
const MISSED_OF_256 = 10
/** Exit or activation churn per epoch of small chains. Consolidations have the same again. */
const CHURN_GWEI = { mainnet: 128 * ETH, minimal: 64 * ETH }

/** All other validators do their duty. */
export const LIVES = {
  /** Its balance is swept. */
  exits: 16,
  /** Prefix 0: its balance stays. */
  exitsUnpaid: 18,
  /** Via an execution request (from Electra on). */
  exitsByRequest: 17,
  /** 3 ETH (from Electra on). */
  withdrawsPart: 20,
  /** The target has prefix 2 (from Electra on). */
  consolidates: 19,
  consolidated: 23,
  slashedForVotes: 13,
  slashedForBlocks: 14,
  /** Its correlation penalty is taken in a later epoch. */
  slashedBefore: 22,
  /** Has 31 ETH and waits forever. */
  waits: 63,
  /** Prefix 0 to 1. */
  changesCredentials: 21,
  toppedUp: [3, 5, 7],
  neverAttests: [24, 25],
  seldomSigns: [26, 27, 28],
  /** Offline long enough for an inactivity leak. */
  away: Array.from({ length: 24 }, (_, at) => 36 + at),
  /** The last deposits two halves. */
  deposited: [64, 65, 66],
} as const

export type Lives = {
  options: BeaconDevnetOptions
  scenario: Scenario
  slotsPerEpoch: number
  lastSlot: number
}

const BUILT_EVERY = 7
const TIPPED_EVERY = 5
const TIP_WEI = 3_000_000_000n
const TRANSFER_GAS = 21_000n
const PAYMENT_WEI = 10n ** 16n
const SENDER = '0x000000000000000000000000000000000000d401'
const RECIPIENT = '0x000000000000000000000000000000000000d402'
const BUILDER = '0x000000000000000000000000000000000000d403'

/** Proposer income on the execution chain: a builder's payment or the priority fees. */
export const livesIncome = (slot: number): { wei: bigint; byBuilder: boolean } => {
  if (slot % BUILT_EVERY === 0) return { wei: PAYMENT_WEI, byBuilder: true }
  return { wei: slot % TIPPED_EVERY === 0 ? TIP_WEI * TRANSFER_GAS : 0n, byBuilder: false }
}

/** Some slots have a tip. In others a builder keeps it and pays the proposer. */
const payments = (lastSlot: number): ScenarioStep[] =>
  Array.from({ length: lastSlot }, (_, at): ScenarioStep => {
    const slot = at + 1
    const tip = { from: SENDER, to: RECIPIENT, valueWei: 1n, tipWei: TIP_WEI }
    const payment = { from: BUILDER, to: RECIPIENT, valueWei: PAYMENT_WEI, tipWei: 0n }
    if (slot % BUILT_EVERY === 0) return { from: slot, feeRecipient: BUILDER, transactions: [tip, payment] }
    return { from: slot, transactions: slot % TIPPED_EVERY === 0 ? [tip] : [] }
  })

type LivesOptions = { epochs: number; preset: Preset; fork: Fork; seed?: string; execution?: boolean }

const addressOf = (index: number): string => `0x${index.toString(16).padStart(40, 'a')}`

const validatorsOf = (penaltyEpoch: number, electra: boolean): GenesisValidator[] =>
  Array.from({ length: GENESIS_VALIDATORS }, (_, index): GenesisValidator => {
    const prefix = ([0, 1, 2] as const)[index % 3] ?? 0
    if (index === LIVES.waits) return { prefix: 1, balanceGwei: 31 * ETH, pending: true, address: addressOf(index) }
    if (index === LIVES.slashedBefore) return { slashed: { penaltyEpoch }, address: addressOf(index) }
    if (prefix !== 2) return { prefix, address: addressOf(index) }
    return electra
      ? { prefix, balanceGwei: (index % 2 === 0 ? 40 : 33) * ETH, address: addressOf(index) }
      : { prefix: 1, address: addressOf(index) }
  })

const missedBlocks = (seed: string, lastSlot: number): ScenarioStep[] =>
  Array.from({ length: lastSlot }, (_, at) => at + 1)
    .filter((slot) => (createHash('sha256').update(`${seed}|missed|${slot}`).digest()[0] ?? 0) < MISSED_OF_256)
    .map((from) => ({ from, missed: true }))

const deposits = [
  { key: 64, amountGwei: 32 * ETH, prefix: 1, address: addressOf(64) },
  { key: 65, amountGwei: 40 * ETH, prefix: 2, address: addressOf(65) },
  { key: 66, amountGwei: 16 * ETH, prefix: 0 },
  { key: 66, amountGwei: 16 * ETH, prefix: 0 },
  { key: 67, amountGwei: 32 * ETH, prefix: 1, address: addressOf(67), badSignature: true },
] as const

const departures = (slot: number): ScenarioStep[] => [
  { from: slot, exits: [LIVES.exits, LIVES.exitsUnpaid] },
  { from: slot + 1, withdrawalRequests: [{ validator: LIVES.exitsByRequest, amountGwei: 0 }] },
  { from: slot + 2, withdrawalRequests: [{ validator: LIVES.withdrawsPart, amountGwei: 3 * ETH }] },
  { from: slot + 2, consolidations: [{ source: LIVES.consolidates, target: LIVES.consolidated }] },
]

const topUps = (slot: number): ScenarioStep[] => [
  { from: slot, deposits: LIVES.toppedUp.map((key) => ({ key, amountGwei: key * ETH })) },
  // Waits until the exiting validator is withdrawable.
  { from: slot + 1, deposits: [{ key: LIVES.exits, amountGwei: 2 * ETH }] },
]

/** Plays all validator events. Needs at least 24 epochs. */
export const lives = ({ epochs, preset, fork, seed = 'lives', execution = false }: LivesOptions): Lives => {
  const slotsPerEpoch = SLOTS_PER_EPOCH[preset]
  const lastSlot = epochs * slotsPerEpoch - 1
  const epochAt = (share: number) => Math.round(epochs * share)
  const slotAt = (share: number) => epochAt(share) * slotsPerEpoch
  const leakFrom = slotAt(0.42)
  const leakSlots = Math.max(SHORTEST_LEAK_EPOCHS, epochAt(0.1)) * slotsPerEpoch
  const scenario: Scenario = [
    ...missedBlocks(seed, lastSlot),
    ...(execution ? payments(lastSlot) : []),
    { from: 1, to: lastSlot, offline: LIVES.neverAttests },
    { from: slotAt(0.1), to: slotAt(0.3), syncOffline: LIVES.seldomSigns },
    { from: slotAt(0.2), to: slotAt(0.25), wrongHead: [30, 31], wrongTarget: [32] },
    { from: slotAt(0.3), to: slotAt(0.35), inclusionDelay: 3 },
    { from: slotAt(0.05) + 1, deposits },
    ...departures(slotAt(0.08) + 1),
    ...topUps(slotAt(0.12) + 1),
    { from: slotAt(0.16) + 2, attesterSlashings: [LIVES.slashedForVotes] },
    { from: slotAt(0.16) + 4, proposerSlashings: [LIVES.slashedForBlocks] },
    { from: slotAt(0.2) + 1, credentialChanges: [{ validator: LIVES.changesCredentials, address: addressOf(21) }] },
    { from: leakFrom, to: leakFrom + leakSlots - 1, absent: LIVES.away },
  ]
  const electra = FORKS.indexOf(fork) >= FORKS.indexOf('electra')
  const options: BeaconDevnetOptions = {
    preset,
    fork,
    seed,
    execution,
    validators: validatorsOf(epochAt(0.3), electra),
    config: {
      SHARD_COMMITTEE_PERIOD: 0,
      MIN_VALIDATOR_WITHDRAWABILITY_DELAY: 2,
      MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA: 2 * CHURN_GWEI[preset],
      MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT: CHURN_GWEI[preset],
    },
  }
  return { options, scenario, slotsPerEpoch, lastSlot }
}
