import type { Generated } from 'kysely'

/** Multirange of epochs or blocks, as text. */
type Covered = Generated<string>

/** `epoch` of a day: its first. */
type RegistryChunk = { chunk: number; epoch: number; body: Buffer }

/** `epoch` of a day: its first. Null: none. */
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
  validator: {
    index: number
    pubkey: string
    tracked: Generated<boolean>
    covered: Covered
    withdrawals_covered: Covered
    deposits_covered: Covered
  }

  validator_registry: { only_one: Generated<boolean>; covered: Covered }

  registry_epoch: RegistryChunk
  registry_day: RegistryChunk

  validator_epoch: ValidatorReward
  validator_day: ValidatorReward

  validator_withdrawal: {
    validator: number
    index: bigint
    slot: number
    amount_gwei: bigint
    address: Buffer
  }

  /** `slot` null: in no block before `search_slot`. `signed` null: unchecked; `signature` is empty once checked. */
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

  /** Execution blocks, both inclusive. */
  validator_scan: {
    kind: 'withdrawals' | 'deposits'
    first_block: bigint
    final_block: bigint
    final_slot: number
    covered: Covered
  }
}
