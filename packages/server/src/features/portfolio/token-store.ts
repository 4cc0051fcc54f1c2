import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'

export type TokenStore = ReturnType<typeof createTokenStore>

/** Metadata of tokens on no list, read from their chain once. */
export function createTokenStore(db: Kysely<Tables>) {
  /** Every contract of the chain that was ever asked. `null`: it is no token. */
  async function load(chain: string): Promise<Map<Address, Token | null>> {
    const rows = await db.selectFrom('token').selectAll().where('chain', '=', chain).execute()
    return new Map(
      rows.map(({ address, symbol, name, decimals }) => {
        const known = symbol !== null && name !== null && decimals !== null
        return [address, known ? { chain, address, symbol, name, decimals, listed: false } : null]
      }),
    )
  }

  async function save(chain: string, tokens: ReadonlyMap<Address, Token | null>): Promise<void> {
    if (tokens.size === 0) return
    const values = [...tokens.values()]
    await sql`
      insert into token (chain, address, symbol, name, decimals)
      select ${chain}, * from unnest(${[...tokens.keys()]}::text[], ${values.map((token) => token?.symbol ?? null)}::text[],
        ${values.map((token) => token?.name ?? null)}::text[], ${values.map((token) => token?.decimals ?? null)}::integer[])
      on conflict do nothing`.execute(db)
  }

  return { load, save }
}
