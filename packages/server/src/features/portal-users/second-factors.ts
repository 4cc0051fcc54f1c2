import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { base32nopad } from '@scure/base'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { recordAction } from './audit.ts'
import type { From } from './sessions.ts'
import { digestOfToken } from './tokens.ts'
import { STEP_SECONDS, stepOfCode } from './totp.ts'

const PURPOSE = 'totp'
/** Length of the hash, as RFC 4226 asks. */
const KEY_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10
const ISSUER = 'Coffer'

type Db = Kysely<Tables>
type Trx = Transaction<Tables>

export type SecondFactors = ReturnType<typeof createSecondFactors>

export function createSecondFactors({ db, vault }: { db: Db; vault: Pick<SecretVault, 'put' | 'open' | 'remove'> }) {
  async function keyOf(trx: Trx, userId: string, id: string): Promise<Buffer> {
    const text = await vault.open(trx, { id, userId, purpose: PURPOSE })
    return Buffer.from(base32nopad.decode(text.reveal()))
  }

  async function keep(
    trx: Trx,
    user: UserRow,
    kept: Pick<UserRow, 'totp_secret_id' | 'totp_pending_id' | 'totp_step'>,
  ) {
    await trx.updateTable('portal_user').set(kept).where('id', '=', user.id).execute()
    const named = [kept.totp_secret_id, kept.totp_pending_id]
    for (const id of [user.totp_secret_id, user.totp_pending_id]) {
      if (id !== null && !named.includes(id)) await vault.remove(trx, id)
    }
  }

  async function takeCode(trx: Trx, user: UserRow, code: string): Promise<boolean> {
    if (!/^\d+$/.test(code)) return takeRecoveryCode(trx, user.id, code)
    if (user.totp_secret_id === null) return false
    const key = await keyOf(trx, String(user.id), user.totp_secret_id)
    const step = stepOfCode(key, code, { now: await currentStep(trx), taken: Number(user.totp_step ?? 0) })
    if (step === undefined) return false
    await trx
      .updateTable('portal_user')
      .set({ totp_step: BigInt(step) })
      .where('id', '=', user.id)
      .execute()
    return true
  }

  return {
    /** Codes are not required until one of the new key is confirmed. */
    begin: ({ userId, userName }: PortalSession) =>
      db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, userId)
        const secret = base32nopad.encode(randomBytes(KEY_BYTES))
        const totp_pending_id = await vault.put(trx, { userId, purpose: PURPOSE, text: secret })
        const { totp_secret_id, totp_step } = user
        await keep(trx, user, { totp_secret_id, totp_pending_id, totp_step })
        const label = encodeURIComponent(`${ISSUER}:${userName}`)
        return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=${ISSUER}` }
      }),
    /** Returns recovery codes, which replace earlier ones. */
    confirm: ({ userId, userName }: PortalSession, code: string, { address }: From): Promise<string[]> =>
      db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, userId)
        const { totp_pending_id: id } = user
        const step = id && stepOfCode(await keyOf(trx, userId, id), code, { now: await currentStep(trx), taken: 0 })
        if (!id || !step) throw new Failure('VALIDATION_ERROR', 'code: does not belong to the key of this setup')
        await keep(trx, user, { totp_secret_id: id, totp_pending_id: null, totp_step: BigInt(step) })
        await recordAction(trx, { userId, userName, address }, { action: 'began to use codes', accountId: null })
        return renewRecoveryCodes(trx, user.id)
      }),
    remove: ({ userId, userName }: PortalSession, { address }: From): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, userId)
        await keep(trx, user, { totp_secret_id: null, totp_pending_id: null, totp_step: null })
        await trx.deleteFrom('portal_recovery_code').where('user_id', '=', user.id).execute()
        if (user.totp_secret_id === null) return false
        await recordAction(trx, { userId, userName, address }, { action: 'removed codes', accountId: null })
        return true
      }),
    /** Accepts each code once. Throws UNAUTHORIZED with `needsCode`. */
    check: (userId: string, code: string | undefined): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const user = await lockUser(trx, userId)
        if (user.totp_secret_id === null) return
        if (code === undefined) throw new Failure('UNAUTHORIZED', 'A code is required', { needsCode: true })
        if (await takeCode(trx, user, code)) return
        throw new Failure('UNAUTHORIZED', 'The code is wrong or was already used', { needsCode: true })
      }),
  }
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

async function currentStep(trx: Trx): Promise<number> {
  const { rows } = await sql<{ step: number }>`
    select floor(extract(epoch from coffer_now()) / ${STEP_SECONDS}::int)::int as step`.execute(trx)
  return rows[0]?.step ?? 0
}

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
  const { numDeletedRows } = await trx
    .deleteFrom('portal_recovery_code')
    .where('user_id', '=', userId)
    .where('digest', '=', digestOfCode(code))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
