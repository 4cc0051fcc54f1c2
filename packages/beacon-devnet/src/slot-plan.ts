/** Validators by index; `all` of them. */
export type Who = 'all' | readonly number[]

/** A deposit to the contract: a new validator, or more for one that is there. */
export type Deposit = {
  /** The interop key: that of a genesis validator is its index. */
  key: number
  amountGwei: number
  prefix?: 0 | 1 | 2
  address?: string
  /** The signature is then of another message: a new validator does not come of it. */
  badSignature?: boolean
}

/** What an execution layer is asked by EIP-7002. An amount of 0 asks for the exit. */
export type WithdrawalRequest = { validator: number; amountGwei: number }

/** What an execution layer is asked by EIP-7251: the balance of one validator moves to another, with credentials of prefix 2. */
export type Consolidation = { source: number; target: number }

/** A transaction in the block's payload; any address may send, and has what it needs. */
export type Transaction = {
  from: string
  to?: string
  valueWei?: bigint
  /** What the fee recipient gets for a unit of gas; 1 gwei unless told. Deposits pay nothing. */
  tipWei?: bigint
  data?: string
}

/**
 * What happens in a slot. Operations that a missed slot would have carried are carried by the next block, as from a pool.
 */
export type SlotPlan = {
  /** No block is proposed. */
  missed?: boolean
  /** Those who neither propose nor attest nor sign for the sync committee. */
  absent?: Who
  /** Those of the slot's committees who do not attest. */
  offline?: Who
  /** Those of the slot's committees who vote for another head. */
  wrongHead?: Who
  /** Those of the slot's committees who vote for another target. */
  wrongTarget?: Who
  /** So many slots later the votes of this one are included, 1 unless told. */
  inclusionDelay?: number
  /** Members of the sync committee whose signature is not in the block. */
  syncOffline?: Who
  exits?: readonly number[]
  attesterSlashings?: readonly number[]
  proposerSlashings?: readonly number[]
  deposits?: readonly Deposit[]
  withdrawalRequests?: readonly WithdrawalRequest[]
  consolidations?: readonly Consolidation[]
  /** Credentials of prefix 0 that become those of prefix 1. */
  credentialChanges?: readonly { validator: number; address: string }[]
  /** 20 bytes; one address for all blocks unless told. */
  feeRecipient?: string
  /** In the order in which they stand in the block. */
  transactions?: readonly Transaction[]
  baseFeeWei?: bigint
  extraData?: string
}

/** A plan for slots `from` to `to`, both included; for one slot without `to`. Plans that meet in a slot all hold. */
export type ScenarioStep = SlotPlan & { from: number; to?: number }
export type Scenario = readonly ScenarioStep[]

const both = (one: Who = [], other: Who = []): Who => (one === 'all' || other === 'all' ? 'all' : [...one, ...other])
const joined = <T>(one: readonly T[] = [], other: readonly T[] = []): readonly T[] => [...one, ...other]

/** Both plans at once; where only one can be, the other's. */
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

/** What a missed slot leaves for the next block. */
export const operationsLeft = (plan: SlotPlan): SlotPlan => {
  if (!plan.missed) return {}
  const { missed, absent, offline, wrongHead, wrongTarget, inclusionDelay, syncOffline, transactions, ...left } = plan
  return left
}

/** What a scenario has for a slot. */
export const planOf = (scenario: Scenario, slot: number): SlotPlan =>
  scenario.filter(({ from, to = from }) => from <= slot && slot <= to).reduce<SlotPlan>(merge, {})

export const isAmong = (who: Who | undefined, validator: number): boolean =>
  who === 'all' || (who?.includes(validator) ?? false)
