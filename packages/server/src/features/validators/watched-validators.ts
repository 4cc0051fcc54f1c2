import { Failure, type WatchGap } from '@coffer/contract'
import { sql } from 'kysely'
import { type BeaconValidator, VALIDATORS_A_REQUEST, validatorsRequest } from '../../beacon/validator-requests.ts'
import type { Db } from '../../db/tables.ts'
import { pagesOf } from '../../lib/pages.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { reportToAccounts } from '../events/outbox.ts'
import type { ValidatorsContext } from './context.ts'
import { listWatched, mayWatch, subjectOfValidator } from './report-missed.ts'
import { trackValidator } from './tracking.ts'

const CHAIN = 'ethereum'
/** Delay before an unknown validator is looked up again. */
const AGAIN_MINUTES = 15

export async function checkValidators(context: ValidatorsContext): Promise<void> {
  const { db, pool, log } = context
  try {
    await findNamed(context)
    for (const page of pagesOf(await listWatched(db), VALIDATORS_A_REQUEST)) {
      await tellSlashed(db, await pool.request(validatorsRequest('finalized', page)))
    }
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    log.warn({ err }, 'watched validators could not be read; the service tries again')
  }
}

async function findNamed(context: ValidatorsContext): Promise<void> {
  const { db } = context
  const { rows } = await sql<{ validator: string }>`
    select distinct validator from watch join account on account.id = account_id
    where validator is not null and validator_index is null and ${mayWatch}
      and (checked_at is null or checked_at <= coffer_now() - make_interval(mins => ${AGAIN_MINUTES}))
    order by validator`.execute(db)
  for (const { validator } of rows) {
    const index = await indexOf(context, validator)
    const gaps: WatchGap[] = index === undefined ? [{ chain: CHAIN, reason: 'not-found' }] : []
    await sql`
      update watch set validator_index = ${index ?? null}::bigint, incomplete = ${JSON.stringify(gaps)}::jsonb,
        checked_at = coffer_now()
      where validator = ${validator} and validator_index is null`.execute(db)
  }
}

/** Undefined until its index is final. */
async function indexOf(context: ValidatorsContext, validator: string): Promise<number | undefined> {
  const id = validator.startsWith('0x') ? validator : Number(validator)
  try {
    await trackValidator(context, id)
    return (await context.store.find(id))?.index
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === 'NOT_FOUND') return undefined
    throw thrown
  }
}

/** The first check reports nothing. */
async function tellSlashed(db: Db, validators: readonly BeaconValidator[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ index: bigint; accounts: bigint[] }>`
      with before as (
        select watch.id, is_past, seen.slashed from watch
          join unnest(${validators.map(({ index }) => index)}::bigint[], ${validators.map(({ slashed }) => slashed)}::boolean[])
            as seen (index, slashed) on seen.index = validator_index
        order by watch.id for no key update of watch),
      noted as (
        update watch set is_past = before.slashed, checked_at = coffer_now(), settled_at = coffer_now(), incomplete = '[]'
        from before where watch.id = before.id
        returning validator_index, account_id, before.slashed and before.is_past is false as "isNew")
      select validator_index as index, array_agg(distinct account_id) as accounts from noted
      where "isNew" group by validator_index order by validator_index`.execute(trx)
    const byIndex = new Map(validators.map((validator) => [validator.index, validator]))
    for (const { index, accounts } of rows) {
      const { pubkey, exitEpoch, withdrawableEpoch } = byIndex.get(Number(index)) as BeaconValidator
      const data = { index: Number(index), pubkey, exitEpoch, withdrawableEpoch }
      await reportToAccounts(trx, 'validator.slashed', accounts, [{ subject: subjectOfValidator(index), data }])
    }
  })
}
