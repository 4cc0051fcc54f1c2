import { type Selectable, sql } from 'kysely'
import type { RefusalStore } from '../chains/stores.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'

export type TokenStore = ReturnType<typeof createTokenStore>

/** `askedAt`: Unix milliseconds. Null: no token. */
export type AskedToken = { token: Token | null; askedAt: number }

export function createTokenStore(db: Db) {
  const askedOn = (chain: string) => db.selectFrom('token').selectAll().where('chain', '=', chain)

  async function newest(chain: string, limit: number): Promise<Map<Address, AskedToken>> {
    return byAddress(await askedOn(chain).orderBy('asked_at', 'desc').limit(limit).execute())
  }

  async function find(chain: string, addresses: readonly Address[]): Promise<Map<Address, AskedToken>> {
    return byAddress(await askedOn(chain).where('address', '=', sql<string>`any (${addresses})`).execute())
  }

  /** A known token is never overwritten. A contract that was no token may have become one. In one order: no deadlocks. */
  async function save(chain: string, tokens: ReadonlyMap<Address, Token | null>): Promise<void> {
    if (tokens.size === 0) return
    const values = [...tokens.values()]
    await sql`
      insert into token (chain, address, symbol, name, decimals)
      select ${chain}, * from unnest(${[...tokens.keys()]}::text[], ${values.map((token) => token?.symbol ?? null)}::text[],
        ${values.map((token) => token?.name ?? null)}::text[], ${values.map((token) => token?.decimals ?? null)}::integer[])
        as asked (address, symbol, name, decimals) order by address
      on conflict (chain, address) do update set symbol = excluded.symbol, name = excluded.name,
        decimals = excluded.decimals, asked_at = excluded.asked_at
      where token.decimals is null`.execute(db)
  }

  return { newest, find, save }
}

function byAddress(rows: readonly Selectable<Tables['token']>[]): Map<Address, AskedToken> {
  return new Map(
    rows.map(({ chain, address, symbol, name, decimals, asked_at }) => {
      const isToken = symbol !== null && name !== null && decimals !== null
      const token = isToken ? { chain, address, symbol, name, decimals, listed: false } : null
      return [address, { token, askedAt: asked_at.getTime() }]
    }),
  )
}

export function createRefusingTokenStore(db: Db): RefusalStore {
  return {
    async find(chain) {
      const rows = await db.selectFrom('refusing_token').selectAll().where('chain', '=', chain).execute()
      return new Map(rows.map(({ address, since }) => [address, since.getTime()]))
    },

    async add(chain, tokens, since) {
      if (tokens.length === 0) return
      await db
        .insertInto('refusing_token')
        .values(tokens.map((address) => ({ chain, address, since: new Date(since) })))
        .onConflict((conflict) => conflict.columns(['chain', 'address']).doNothing())
        .execute()
    },

    async forget(chain, tokens) {
      if (tokens.length === 0) return
      await db.deleteFrom('refusing_token').where('chain', '=', chain).where('address', 'in', tokens).execute()
    },
  }
}
