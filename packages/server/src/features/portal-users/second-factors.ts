import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { base32nopad } from '@scure/base'
import { sql } from 'kysely'
import type { Trx } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { recordOwn } from './audit.ts'
import { type PortalUsers, signedIn } from './context.ts'
import { digestOfToken } from './sessions.ts'
import { STEP_SECONDS, stepOfCode } from './totp.ts'

const PURPOSE = 'totp'
/** Length of the hash, as RFC 4226 asks. */
const KEY_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10
const ISSUER = 'Coffer'

/** Codes are required once one of the new key is confirmed. */
export function beginTotp(context: PortalUsers, caller: PortalCaller): Promise<{ secret: string; uri: string }> {
  const { userId, userName } = signedIn(caller)
  return context.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId)
    const secret = base32nopad.encode(randomBytes(KEY_BYTES))
    const { totp_secret_id, totp_step } = user
    const totp_pending_id = await context.vault.put(trx, { userId, purpose: PURPOSE, text: secret })
    await keep(context, trx, user, { totp_secret_id, totp_pending_id, totp_step })
    const label = encodeURIComponent(`${ISSUER}:${userName}`)
    return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=${ISSUER}` }
  })
}

export const confirmTotp = (context: PortalUsers, caller: PortalCaller, code: string) =>
  context.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, signedIn(caller).userId)
    const { totp_pending_id: id } = user
    const step = id && (await stepOf(context, trx, user.id, { id, code, taken: 0 }))
    if (!id || !step) throw new Failure('VALIDATION_ERROR', 'code: does not belong to the key of this setup')
    await keep(context, trx, user, { totp_secret_id: id, totp_pending_id: null, totp_step: BigInt(step) })
    await recordOwn(trx, caller, 'began to use codes')
    return { recoveryCodes: await renewRecoveryCodes(trx, user.id) }
  })

/** Removes an unconfirmed key too. */
export async function removeTotp(context: PortalUsers, caller: PortalCaller): Promise<Record<never, never>> {
  const isRemoved = await context.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, signedIn(caller).userId)
    await keep(context, trx, user, { totp_secret_id: null, totp_pending_id: null, totp_step: null })
    await trx.deleteFrom('portal_recovery_code').where('user_id', '=', user.id).execute()
    if (user.totp_secret_id !== null) await recordOwn(trx, caller, 'removed codes')
    return user.totp_secret_id !== null
  })
  if (!isRemoved) throw new Failure('NOT_FOUND', 'No authenticator app is set up')
  return {}
}

/** Accepts each code once. */
export const checkCode = (context: PortalUsers, userId: string, code: string | undefined): Promise<void> =>
  context.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId)
    if (user.totp_secret_id === null) return
    if (code === undefined) throw new Failure('UNAUTHORIZED', 'A code is required', { needsCode: true })
    if (await takeCode(context, trx, user, code)) return
    throw new Failure('UNAUTHORIZED', 'The code is wrong or was already used', { needsCode: true })
  })

async function keep({ vault }: PortalUsers, trx: Trx, user: UserRow, kept: Omit<UserRow, 'id'>): Promise<void> {
  await trx.updateTable('portal_user').set(kept).where('id', '=', user.id).execute()
  const named = [kept.totp_secret_id, kept.totp_pending_id]
  for (const id of [user.totp_secret_id, user.totp_pending_id]) {
    if (id !== null && !named.includes(id)) await vault.remove(trx, id)
  }
}

async function takeCode(context: PortalUsers, trx: Trx, user: UserRow, code: string): Promise<boolean> {
  if (!/^\d+$/.test(code)) return takeRecoveryCode(trx, user.id, code)
  const { id: userId, totp_secret_id: id, totp_step } = user
  const step = id === null ? undefined : await stepOf(context, trx, userId, { id, code, taken: Number(totp_step ?? 0) })
  if (step === undefined) return false
  await sql`update portal_user set totp_step = ${step} where id = ${userId}`.execute(trx)
  return true
}

/** `id`: secret of the key. Undefined if the code is wrong. */
async function stepOf(
  { vault }: PortalUsers,
  trx: Trx,
  userId: bigint,
  { id, code, taken }: { id: string; code: string; taken: number },
): Promise<number | undefined> {
  const text = await vault.open(trx, { id, userId: String(userId), purpose: PURPOSE })
  const key = Buffer.from(base32nopad.decode(text.reveal()))
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from coffer_now()) / ${STEP_SECONDS}::int)::int as now`.execute(trx)
  return stepOfCode(key, code, { now: rows[0]?.now ?? 0, taken })
}

type UserRow = Awaited<ReturnType<typeof lockUser>>

/** Concurrent uses of a code count once. */
const lockUser = (trx: Trx, userId: string) =>
  trx
    .selectFrom('portal_user')
    .select(['id', 'totp_secret_id', 'totp_pending_id', 'totp_step'])
    .where('id', '=', BigInt(userId))
    .forUpdate()
    .executeTakeFirstOrThrow()

/** Ignores case and separators. */
const digestOfCode = (code: string) => digestOfToken(code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ''))

async function renewRecoveryCodes(trx: Trx, user_id: bigint): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    base32nopad.encode(randomBytes(RECOVERY_BYTES)).replaceAll(/(.{4})(?!$)/g, '$1-'),
  )
  await trx.deleteFrom('portal_recovery_code').where('user_id', '=', user_id).execute()
  const rows = codes.map((code) => ({ user_id, digest: digestOfCode(code) }))
  await trx.insertInto('portal_recovery_code').values(rows).execute()
  return codes
}

async function takeRecoveryCode(trx: Trx, userId: bigint, code: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from portal_recovery_code where user_id = ${userId} and digest = ${digestOfCode(code)}`.execute(trx)
  return numAffectedRows === 1n
}
