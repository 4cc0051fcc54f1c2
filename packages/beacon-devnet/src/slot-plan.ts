/** Validator indices. */
export type Who = 'all' | readonly number[]

/** A new validator or a top-up. */
export type Deposit = {
  /** Interop key. In the genesis: the index. */
  key: number
  amountGwei: number
  prefix?: 0 | 1 | 2
  address?: string
  /** Signs another message: creates no validator. */
  badSignature?: boolean
}

/** EIP-7002. Amount 0 requests the exit. */
export type WithdrawalRequest = { validator: number; amountGwei: number }

/** EIP-7251. The target has prefix 2. */
export type Consolidation = { source: number; target: number }

/** Any address may send and is funded. */
export type Transaction = {
  from: string
  to?: string
  valueWei?: bigint
  /** Per unit of gas. Default: 1 gwei. Deposits pay nothing. */
  tipWei?: bigint
  data?: string
}

/** The next block carries a missed slot's operations, as from a pool. */
export type SlotPlan = {
  missed?: boolean
  /** Neither propose, attest nor sign for the sync committee. */
  absent?: Who
  /** Committee members that do not attest. */
  offline?: Who
  wrongHead?: Who
  wrongTarget?: Who
  /** Slots until inclusion. Default: 1. */
  inclusionDelay?: number
  syncOffline?: Who
  exits?: readonly number[]
  attesterSlashings?: readonly number[]
  proposerSlashings?: readonly number[]
  deposits?: readonly Deposit[]
  withdrawalRequests?: readonly WithdrawalRequest[]
  consolidations?: readonly Consolidation[]
  /** Prefix 0 to 1. */
  credentialChanges?: readonly { validator: number; address: string }[]
  /** 20 bytes. Default: one address for all blocks. */
  feeRecipient?: string
  /** In block order. */
  transactions?: readonly Transaction[]
  baseFeeWei?: bigint
  extraData?: string
}

/** `from` to `to` inclusive. Default: one slot. All plans of a slot apply. */
export type ScenarioStep = SlotPlan & { from: number; to?: number }
export type Scenario = readonly ScenarioStep[]

const both = (one: Who = [], other: Who = []): Who => (one === 'all' || other === 'all' ? 'all' : [...one, ...other])
const joined = <T>(one: readonly T[] = [], other: readonly T[] = []): readonly T[] => [...one, ...other]

/** `other` wins where only one value is possible. */
export const merge = (one: SlotPlan, other: SlotPlan): SlotPlan => ({
  ...one,
  ...other,
  missed: Boolean(one.missed || other.missed),
  absent: both(one.absent, other.absent),
  offline: both(one.offline, other.offline),
  wrongHead: both(one.wrongHead, other.wrongHead),
  wrongTarget: both(one.wrongTarget, other.wrongTarget),
  syncOffline: both(one.syncOffline, other.syncOffline),
  exits: joined(one.exits, other.exits),
  attesterSlashings: joined(one.attesterSlashings, other.attesterSlashings),
  proposerSlashings: joined(one.proposerSlashings, other.proposerSlashings),
  deposits: joined(one.deposits, other.deposits),
  withdrawalRequests: joined(one.withdrawalRequests, other.withdrawalRequests),
  consolidations: joined(one.consolidations, other.consolidations),
  credentialChanges: joined(one.credentialChanges, other.credentialChanges),
  transactions: joined(one.transactions, other.transactions),
})

export const operationsLeft = (plan: SlotPlan): SlotPlan => {
  if (!plan.missed) return {}
  const { missed, absent, offline, wrongHead, wrongTarget, inclusionDelay, syncOffline, transactions, ...left } = plan
  return left
}

export const planOf = (scenario: Scenario, slot: number): SlotPlan =>
  scenario.filter(({ from, to = from }) => from <= slot && slot <= to).reduce<SlotPlan>(merge, {})

export const isAmong = (who: Who | undefined, validator: number): boolean =>
  who === 'all' || (who?.includes(validator) ?? false)
