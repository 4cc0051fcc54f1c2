import type { Generated } from 'kysely'

/** What is covered, as PostgreSQL writes a multirange of epochs, or of blocks of the execution chain. */
type Covered = Generated<string>

/** Outcomes of neighbouring validators in an epoch, or in a day, whose `epoch` is its first. */
type RegistryChunk = { chunk: number; epoch: number; body: Buffer }

/** An epoch of a validator, or a day of it, whose `epoch` is its first; null where there was none. */
type ValidatorReward = {
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

export interface ValidatorTables {
  /** `tracked`: requested by a caller, and not only listed in the registry. */
  validator: {
    index: number
    pubkey: string
    tracked: Generated<boolean>
    covered: Covered
    withdrawals_covered: Covered
    deposits_covered: Covered
  }

  /** A single row: the epochs covered for all validators, present and future. */
  validator_registry: { only_one: Generated<boolean>; covered: Covered }

  registry_epoch: RegistryChunk
  registry_day: RegistryChunk

  validator_epoch: ValidatorReward
  validator_day: ValidatorReward

  /** `index`: of all withdrawals of the chain. */
  validator_withdrawal: {
    validator: number
    index: bigint
    slot: number
    amount_gwei: bigint
    address: Buffer
  }

  /**
   * `index`: number among all deposits of the contract. `slot`: of the block that carries it; null: no block before
   * `search_slot` does. `signed`: by its key; null until checked. `signature`: empty once checked.
   */
  validator_deposit: {
    index: bigint
    amount_gwei: bigint
    slot: number | null
    search_slot: number
    signed: boolean | null
    pubkey: Buffer
    withdrawal_credentials: Buffer
    signature: Buffer
  }

  /**
   * Blocks of the execution chain to search, both included; `final_slot`: of the last of them. `covered`: searched for
   * all validators, present and future.
   */
  validator_scan: {
    kind: 'withdrawals' | 'deposits'
    first_block: bigint
    final_block: bigint
    final_slot: number
    covered: Covered
  }
}
