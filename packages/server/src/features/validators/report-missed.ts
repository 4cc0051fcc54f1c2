import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { type BeaconTimes, timeOfEpoch } from '../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../domain/validator-epoch.ts'
import { reportToAccounts } from '../events/outbox.ts'

/** Older epochs are not reported. */
const REPORTED_DAYS = 7

export const subjectOfValidator = (index: number | bigint): string => `validator ${index}`

export const mayWatch = sql`'beacon' = any (account.entitlements)`

export async function listWatched(db: Db): Promise<number[]> {
  const { rows } = await sql<{ index: bigint }>`
    select distinct validator_index as index from watch join account on account.id = account_id
    where validator_index is not null and ${mayWatch}`.execute(db)
  return rows.map(({ index }) => Number(index))
}

/** Runs before the epochs are marked covered: those are not reported again. */
export async function reportMissed(trx: Db, times: BeaconTimes, outcomes: readonly ValidatorEpoch[]): Promise<void> {
  const missed = outcomes.filter((of) => of.attestationsMissed + of.missedBlocks + of.syncMissed > 0)
  if (missed.length === 0) return
  const { rows } = await sql<{ place: number; pubkey: string; accounts: bigint[] }>`
    select missed.place::integer as place, own.pubkey, array_agg(distinct watch.account_id) as accounts
    from unnest(${missed.map(({ validatorIndex }) => validatorIndex)}::bigint[], ${missed.map(({ epoch }) => epoch)}::integer[],
      ${missed.map(({ epoch }) => timeOfEpoch(times, epoch))}::float8[]) with ordinality as missed (index, epoch, time, place)
      join watch on validator_index = missed.index and to_timestamp(missed.time) >= watch.created_at
      join account on account.id = watch.account_id and ${mayWatch}
      join validator own on own.index = missed.index and not own.covered @> missed.epoch
    where to_timestamp(missed.time) >= coffer_now() - make_interval(days => ${REPORTED_DAYS})
    group by missed.place, own.pubkey order by missed.place`.execute(trx)
  for (const group of Map.groupBy(rows, ({ accounts }) => accounts.join()).values()) {
    const events = group.map(({ place, pubkey }) => eventOf(missed[place - 1] as ValidatorEpoch, pubkey))
    await reportToAccounts(trx, 'validator.missed', group[0]?.accounts ?? [], events)
  }
}

function eventOf({ validatorIndex: index, missedBlocks: blocksMissed, ...of }: ValidatorEpoch, pubkey: string) {
  const { epoch, attestationsMissed, syncMissed } = of
  const data = { index, pubkey, epoch, attestationsMissed, blocksMissed, syncMissed }
  return { subject: subjectOfValidator(index), data }
}
