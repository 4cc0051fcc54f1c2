import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import { dayOf } from '../domain/day.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createWorkQueue } from '../lib/work-queue.ts'

/** Evicted wallets are written again. */
const REMEMBERED = 100_000
const MOST_AT_ONCE = 1_000

type Dependencies = { db: Db; clock: Clock; log: Pick<Logger, 'warn'> }

/** Writes once per wallet, day and process, outside the request. */
export function createNoteUse({ db, clock, log }: Dependencies): (wallet: Address) => void {
  const noted = new BoundedMap<Address, string>(REMEMBERED)

  const queue = createWorkQueue<Address, void>({
    maxBatch: MOST_AT_ONCE,
    async run(wallets) {
      try {
        await sql`
          insert into wallet_use (wallet, used_on)
          select distinct wallet, (coffer_now() at time zone 'UTC')::date from unnest(${wallets}::text[]) as wallet
          order by wallet
          on conflict (wallet) do update set used_on = excluded.used_on
            where wallet_use.used_on < excluded.used_on`.execute(db)
      } catch (err) {
        for (const wallet of wallets) noted.delete(wallet)
        log.warn(
          { err, wallets: wallets.length },
          'requests for wallets could not be stored; the next request of a wallet tries again',
        )
      }
      return wallets.map(() => undefined)
    },
  })

  return (wallet) => {
    const today = dayOf(clock.now() / 1_000)
    if (noted.get(wallet) === today) return
    noted.set(wallet, today)
    void queue.push(wallet)
  }
}
