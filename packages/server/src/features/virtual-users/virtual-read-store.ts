import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import type { VirtualHolding, VirtualRead } from '../../domain/virtual-read.ts'

export type StoredRead = { source: string; linkId: string | null; version: string; read: VirtualRead }

type StoredHolding = Omit<VirtualHolding, 'owned' | 'borrowed' | 'price'> & {
  owned: string
  borrowed: string
  price: { usd: string; source: string } | null
}
type Body = Omit<VirtualRead, 'block' | 'readAt' | 'holdings'> & {
  version: string
  block?: string
  holdings: StoredHolding[]
}

/** Amounts and prices are exact text. */
export async function findReads(db: Db, virtualUserId: string): Promise<StoredRead[]> {
  const rows = await db
    .selectFrom('virtual_user_read')
    .select(['source', 'link_id as linkId', 'read_at', 'body'])
    .where('virtual_user_id', '=', virtualUserId)
    .execute()
  return rows.map(({ source, linkId, read_at, body }) => {
    const { version, block, holdings, ...rest } = body as Body
    const read = {
      ...rest,
      ...(block !== undefined && { block: BigInt(block) }),
      readAt: read_at.getTime(),
      holdings: holdings.map(decodeHolding),
    }
    return { source, linkId, version, read }
  })
}

/** Never replaces a newer read. Rejects if the link was deleted. */
export async function saveRead(db: Db, virtualUserId: string, stored: StoredRead): Promise<void> {
  const { source, linkId, version } = stored
  const { block, readAt, holdings, ...rest } = stored.read
  const body: Body = {
    ...rest,
    version,
    ...(block !== undefined && { block: block.toString() }),
    holdings: holdings.map(encodeHolding),
  }
  await sql`
    insert into virtual_user_read (virtual_user_id, source, link_id, read_at, body)
    select id, ${source}, ${linkId}::uuid, to_timestamp(${readAt}::float8 / 1000), ${JSON.stringify(body)}::jsonb
    from virtual_user where id = ${virtualUserId}
    on conflict (virtual_user_id, source) do update
      set link_id = excluded.link_id, read_at = excluded.read_at, body = excluded.body
      where virtual_user_read.read_at <= excluded.read_at`.execute(db)
}

function encodeHolding({ owned, borrowed, price, ...rest }: VirtualHolding): StoredHolding {
  return {
    ...rest,
    owned: formatDecimal(owned),
    borrowed: formatDecimal(borrowed),
    price: price && { usd: formatDecimal(price.usd), source: price.source },
  }
}

function decodeHolding({ owned, borrowed, price, ...rest }: StoredHolding): VirtualHolding {
  return {
    ...rest,
    owned: decimal(owned),
    borrowed: decimal(borrowed),
    price: price && { usd: decimal(price.usd), source: price.source },
  }
}
