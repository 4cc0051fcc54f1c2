import type { Generated, GeneratedAlways } from 'kysely'

/** An address that an account has saved; `expires_at` is null exactly on the plan FREE. */
export type AddressBookEntryTable = {
  account_id: bigint
  address: string
  /** The order of adding. */
  number: GeneratedAlways<bigint>
  label: string
  plan: Generated<'FREE' | 'LITE' | 'PRO'>
  expires_at: Date | null
  owner_authorized: Generated<boolean>
}

export type BundleTable = {
  id: Generated<string>
  account_id: bigint
  number: GeneratedAlways<bigint>
  name: string
}

export type BundleMemberTable = {
  account_id: bigint
  bundle_id: string
  address: string
  number: GeneratedAlways<bigint>
}

/** The text that the owner of an entry's wallet may sign until it expires. */
export type OwnerChallengeTable = {
  account_id: bigint
  address: string
  text: string
  expires_at: Date
}
