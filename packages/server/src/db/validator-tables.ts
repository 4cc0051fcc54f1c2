import type { ColumnType, Generated } from 'kysely'

/** `covered`: epochs that are indexed, as PostgreSQL writes a multirange. */
export type ValidatorTable = {
  index: number
  pubkey: string
  since: ColumnType<Date, never, never>
  covered: Generated<string>
}

/** An epoch of a validator, or a day of it, whose `epoch` is its first; null where there was none. */
export type ValidatorRewardTable = {
  validator: number
  epoch: number
  attestation_gwei: bigint
  attestation_ideal_gwei: bigint
  effective_balance_gwei: bigint
  attestations_included: number
  attestations_missed: number
  sync_gwei: bigint | null
  sync_potential_gwei: bigint | null
  proposal_gwei: bigint | null
  proposal_potential_gwei: bigint | null
  slashing_gwei: bigint | null
  sync_participations: number | null
  sync_missed: number | null
  proposed_blocks: number | null
  missed_blocks: number | null
  mev_blocks: number | null
  tips_wei: string | null
  mev_wei: string | null
}
