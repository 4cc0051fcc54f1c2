import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { areSaved } from '../address-book/address-book.ts'
import { createMemoryWindows } from '../rate-limit/memory-windows.ts'

/** Reads of saved wallets that an account has free in 24 hours, in the credits that they cost with a key. */
const FREE_CREDITS = 20_000
const DAY_MS = 86_400_000

/** The parsed query of a request. */
type Asked = { readonly query: unknown }

/**
 * Prices the portal's reads: free for wallets that the account has saved, up to a daily bound of this process. Other reads
 * cost what they cost with a key, and only owners spend credits.
 */
export function createPortalPrices({ db, freeCredits = FREE_CREDITS }: { db: Kysely<Tables>; freeCredits?: number }) {
  const read = createMemoryWindows(DAY_MS)

  async function priceOf({ accountId, role }: PortalCaller, worth: number, input: Asked): Promise<number> {
    const isSaved = await areSaved(db, accountId, walletsIn(input))
    if (isSaved && read.add(accountId, worth).consumed <= freeCredits) return 0
    if (role === 'owner') return worth
    const why = isSaved
      ? `The free reads of this account for today are used up (${freeCredits} credits)`
      : 'The account has not saved these addresses'
    throw new Failure('FORBIDDEN', `${why}; reading them costs credits, which needs the role owner`)
  }

  return { priceOf }
}

/** Virtual users are always of the account. */
function walletsIn({ query }: Asked): string[] {
  const { addresses = [] } = Object(query) as { addresses?: string | readonly string[] }
  return [addresses].flat().filter((address) => !address.startsWith('virtual:'))
}
