import { Failure } from '@coffer/contract'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { areSaved } from '../address-book/address-book.ts'

/** Per account in 24 hours. */
const FREE_CREDITS = 20_000
const DAY_MS = 86_400_000

type Asked = { readonly query: unknown }

/** Saved wallets are free up to a daily bound of this process. Only owners spend credits. */
export function createPortalPrices({ db, freeCredits = FREE_CREDITS }: { db: Db; freeCredits?: number }) {
  const read = createDailyReads()
  return async ({ accountId, role }: PortalCaller, worth: number, input: Asked): Promise<number> => {
    const isSaved = await areSaved(db, accountId, walletsIn(input))
    if (isSaved && read.add(accountId, worth) <= freeCredits) return 0
    if (role === 'owner') return worth
    const why = isSaved
      ? `The free reads of this account for today are used up (${freeCredits} credits)`
      : 'The account has not saved these addresses'
    throw new Failure('FORBIDDEN', `${why}; reading them costs credits and requires the role owner`)
  }
}

/** Virtual users always belong to the account. */
function walletsIn({ query }: Asked): string[] {
  const { addresses = [] } = Object(query) as { addresses?: string | readonly string[] }
  return [addresses].flat().filter((address) => !address.startsWith('virtual:'))
}

/** Credits by account, in the 24 hours since its first read. */
function createDailyReads() {
  const days = new Map<string, { credits: number; endsAt: number }>()

  /** Returns the sum of the account's day. */
  function add(accountId: string, credits: number): number {
    const now = Date.now()
    const found = days.get(accountId)
    const day = found && found.endsAt > now ? found : { credits: 0, endsAt: now + DAY_MS }
    day.credits += credits
    days.set(accountId, day)
    return day.credits
  }

  return { add }
}
