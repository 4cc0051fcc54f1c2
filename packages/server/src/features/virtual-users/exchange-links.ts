import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import type { Exchange, ExchangeCredentials, KeyPermissions } from '../../exchanges/exchange.ts'
import { SecretUnreadable, type SecretVault } from '../secrets/secret-vault.ts'

export type ExchangeLink = { id: string; accountId: string; virtualUserId: string; exchange: string; secretId: string }

const PURPOSE = 'exchange-link'

type LinkOutcome =
  | { link: ExchangeLink; permissions: KeyPermissions }
  /** Nothing was stored. */
  | { refusal: string }

export async function findLink(db: Db, virtualUserId: string): Promise<ExchangeLink | undefined> {
  const row = await db
    .selectFrom('exchange_link as link')
    .innerJoin('virtual_user', 'virtual_user.id', 'link.virtual_user_id')
    .select(['link.id', 'link.exchange', 'link.secret_id as secretId', 'virtual_user.account_id'])
    .where('link.virtual_user_id', '=', virtualUserId)
    .executeTakeFirst()
  if (!row) return undefined
  const { account_id, ...link } = row
  return { ...link, accountId: String(account_id), virtualUserId }
}

/** Refuses a key that allows more than reading. Rejects with `UpstreamError` if the exchange fails or refuses it. */
export async function linkExchange(
  { db, vault, record }: { db: Db; vault: SecretVault } & { record?(trx: Trx): Promise<void> },
  virtualUserId: string,
  exchange: Exchange,
  credentials: ExchangeCredentials,
): Promise<LinkOutcome> {
  const missing = exchange.needs.filter((need) => !credentials[need])
  if (missing.length > 0) return { refusal: `${exchange.name} also requires ${missing.join(', ')}.` }
  const before = await cannotLink(db, virtualUserId)
  if (before !== undefined) return { refusal: before }
  const permissions = await exchange.permissions(credentials)
  const granted = (['trade', 'withdraw'] as const).filter((right) => permissions[right] === true)
  if (granted.length > 0) {
    return { refusal: `This key may ${granted.join(' and ')}: create a read-only key at ${exchange.name}.` }
  }
  return db.transaction().execute(async (trx): Promise<LinkOutcome> => {
    const refusal = await cannotLink(trx, virtualUserId)
    if (refusal !== undefined) return { refusal }
    const { account_id } = await trx
      .selectFrom('virtual_user')
      .select('account_id')
      .where('id', '=', virtualUserId)
      .executeTakeFirstOrThrow()
    const accountId = String(account_id)
    const secretId = await vault.put(trx, { accountId, purpose: PURPOSE, text: JSON.stringify(credentials) })
    const { id } = await trx
      .insertInto('exchange_link')
      .values({ virtual_user_id: virtualUserId, exchange: exchange.key, secret_id: secretId })
      .returning('id')
      .executeTakeFirstOrThrow()
    await record?.(trx)
    return { link: { id, accountId, virtualUserId, exchange: exchange.key, secretId }, permissions }
  })
}

type GivenCredentials = { apiKey: string; secret: string; password?: string | undefined; uid?: string | undefined }

export const credentialsOf = ({ apiKey, secret, password, uid }: GivenCredentials): ExchangeCredentials => ({
  apiKey,
  secret,
  ...(password !== undefined && { password }),
  ...(uid !== undefined && { uid }),
})

export function unreportedRights({ name }: Exchange, { trade, withdraw }: KeyPermissions): string | undefined {
  const unreported = Object.entries({ trade, withdraw }).flatMap(([right, may]) => (may === null ? [right] : []))
  if (unreported.length === 0) return undefined
  return `${name} does not report whether this key may ${unreported.join(' or ')}: check there that it is read-only.`
}

/** Returns a refusal. Locks the user in a transaction, so that it is not linked twice. */
async function cannotLink(db: Db, id: string): Promise<string | undefined> {
  const query = db.selectFrom('virtual_user').select('type').where('id', '=', id)
  const user = await (db.isTransaction ? query.forUpdate() : query).executeTakeFirst()
  if (!user) return `There is no virtual user ${id}.`
  if (user.type !== 'CEX') return `The virtual user ${id} has manual balances: only type CEX can be linked.`
  const link = await findLink(db, id)
  return link && `The virtual user ${id} is already linked to ${link.exchange}: unlink it first.`
}

export async function unlinkExchange(db: Db, virtualUserId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from exchange_link where virtual_user_id = ${virtualUserId}`.execute(db)
  return numAffectedRows === 1n
}

export async function openCredentials(
  { db, vault }: { db: Db; vault: { open: SecretVault['open'] } },
  { secretId, accountId }: ExchangeLink,
): Promise<ExchangeCredentials> {
  const text = await vault.open(db, { id: secretId, accountId, purpose: PURPOSE })
  try {
    return JSON.parse(text.reveal()) as ExchangeCredentials
  } catch {
    // The parser's own error would quote its input.
    throw new SecretUnreadable(`The secret ${secretId} holds no credentials.`)
  }
}
