import type { Generated } from 'kysely'

/** Multirange of epochs or blocks, as text. */
type Covered = Generated<string>

/** `epoch` of a day: its first. */
type RegistryChunk = { chunk: number; epoch: number; body: Buffer }

/** `epoch` of a day: its first. `outcome`: a line of amounts and counts. */
type ValidatorOutcome = { validator: number; epoch: number; outcome: string }

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

  validator_epoch: ValidatorOutcome
  validator_day: ValidatorOutcome

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
