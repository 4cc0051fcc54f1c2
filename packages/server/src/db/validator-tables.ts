import type { Generated } from 'kysely'

/** What is covered, as PostgreSQL writes a multirange: epochs, and blocks of the execution chain. */
type Covered = {
  covered: Generated<string>
  withdrawals_covered: Generated<string>
  deposits_covered: Generated<string>
}

/** `tracked`: asked for, and not only known by the registry. */
export type ValidatorTable = Covered & { index: number; pubkey: string; tracked: Generated<boolean> }

/** Of one row: what is covered of every validator that there is or will be. */
export type ValidatorRegistryTable = Covered & { only_one: Generated<boolean> }

/** Outcomes of neighbouring validators in an epoch, or in a day, whose `epoch` is its first. */
export type RegistryChunkTable = { chunk: number; epoch: number; body: Buffer }

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

/** `index`: of all withdrawals of the chain. */
export type ValidatorWithdrawalTable = {
  validator: number
  index: bigint
  slot: number
  amount_gwei: bigint
  address: string
}

/** `index`: of all deposits of the contract. `slot`: of the block that carries it; null: in none before `search_slot`. */
export type ValidatorDepositTable = {
  validator: number
  index: bigint
  amount_gwei: bigint
  withdrawal_credentials: string
  slot: number | null
  search_slot: number
  signed: boolean
}

/** Blocks of the execution chain that are searched, both included; `final_slot`: of the last of them. */
export type ValidatorScanTable = {
  kind: 'withdrawals' | 'deposits'
  first_block: bigint
  final_block: bigint
  final_slot: number
}
