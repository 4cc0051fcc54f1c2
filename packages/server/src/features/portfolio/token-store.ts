import type { Kysely } from 'kysely'
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
    const rows = [...tokens].map(([address, token]) => ({
      chain,
      address,
      symbol: token?.symbol ?? null,
      name: token?.name ?? null,
      decimals: token?.decimals ?? null,
    }))
    await db
      .insertInto('token')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  return { load, save }
}
