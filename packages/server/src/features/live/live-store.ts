import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

type WalletRow = { account_id: bigint; address: Address }

export async function findWallets(
  db: Kysely<Tables>,
  accountIds: readonly string[],
): Promise<Map<string, readonly Address[]>> {
  const { rows } = await sql<WalletRow>`
    select account_id, address from address_book_entry where account_id = any(${accountIds}::bigint[])
    union select account_id, wallet from history_sync where account_id = any(${accountIds}::bigint[])
    order by account_id, address`.execute(db)
  const byAccount = Map.groupBy(rows, ({ account_id }) => String(account_id))
  return new Map([...byAccount].map(([id, own]) => [id, own.map(({ address }) => address)]))
}

export async function findReads(
  db: Kysely<Tables>,
  wallets: readonly Address[],
): Promise<{ address: Address; chain: string; block: string; readAt: string }[]> {
  const rows = await db
    .selectFrom('wallet_read')
    .select(['wallet', 'chain', 'block', 'read_at'])
    .where(sql<boolean>`wallet = any(${wallets})`)
    .orderBy('wallet')
    .orderBy('chain')
    .execute()
  return rows.map(({ wallet, chain, block, read_at }) => ({
    address: wallet,
    chain,
    block,
    readAt: read_at.toISOString(),
  }))
}
