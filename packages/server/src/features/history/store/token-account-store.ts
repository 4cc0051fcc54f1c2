import { type Kysely, sql, type Transaction } from 'kysely'
import type { FindTokenAccounts } from '../../../chains/histories.ts'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'

export function createFindTokenAccounts(db: Kysely<Tables>): FindTokenAccounts {
  return async function findTokenAccounts({ wallet, chain }) {
    const rows = await db
      .selectFrom('history_token_account')
      .select('account')
      .where((eb) => eb.and({ wallet, chain }))
      .orderBy('account')
      .execute()
    return rows.map(({ account }) => account)
  }
}

export async function insertTokenAccounts(
  trx: Transaction<Tables>,
  { wallet, chain }: WalletOnChain,
  accounts: readonly Address[],
): Promise<void> {
  if (accounts.length === 0) return
  await sql`
    insert into history_token_account (wallet, chain, account)
    select ${wallet}, ${chain}, unnest(${accounts}::text[]) on conflict do nothing`.execute(trx)
}
