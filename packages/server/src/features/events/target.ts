import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'

export const SECRET_PURPOSE = 'webhook'

/** Two secrets while one is replaced. */
export type Target = { url: string; secrets: string[] }

export async function openTarget(
  { db, vault }: { db: Kysely<Tables>; vault: Pick<SecretVault, 'open'> },
  webhookId: string,
): Promise<Target | undefined> {
  const { rows } = await sql<{ url: string; account_id: bigint; ids: string[] }>`
    select url, account_id, array_remove(array[secret_id,
      case when old_secret_until > coffer_now() then old_secret_id end], null)::text[] as ids
    from webhook where id = ${webhookId}::uuid and enabled`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const accountId = String(row.account_id)
  const opened = await Promise.all(row.ids.map((id) => vault.open(db, { id, accountId, purpose: SECRET_PURPOSE })))
  return { url: row.url, secrets: opened.map((secret) => secret.reveal()) }
}

export async function stopWebhook(db: Kysely<Tables>, webhookId: string): Promise<void> {
  await db.updateTable('webhook').set({ enabled: false }).where('id', '=', webhookId).execute()
}
