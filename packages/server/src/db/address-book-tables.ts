import type { Generated, GeneratedAlways } from 'kysely'

export interface AddressBookTables {
  /** `expires_at` null: plan FREE. */
  address_book_entry: {
    account_id: bigint
    address: string
    number: GeneratedAlways<bigint>
    label: string
    plan: Generated<'FREE' | 'LITE' | 'PRO'>
    expires_at: Date | null
    owner_authorized: Generated<boolean>
  }

  bundle: {
    id: Generated<string>
    account_id: bigint
    number: GeneratedAlways<bigint>
    name: string
  }

  bundle_member: {
    account_id: bigint
    bundle_id: string
    address: string
    number: GeneratedAlways<bigint>
  }

  owner_challenge: {
    account_id: bigint
    address: string
    text: string
    expires_at: Date
  }
}
