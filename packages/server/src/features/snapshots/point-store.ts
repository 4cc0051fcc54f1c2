import type { IncompleteReason } from '@coffer/contract'
import { sql } from 'kysely'
import { rowTable } from '../../db/row-table.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal, formatDecimal } from '../../domain/decimal.ts'

/** Points that are not settled are computed again. Nodes rarely gain old states. */
const RETRY_SECONDS = 300
const NO_STATE_RETRY_SECONDS = 86_400

export type PointGap = { protocol?: string; reason: IncompleteReason }

/** `time` in Unix seconds. `protocols`: absent if the block could not be read. `block`: absent before the chain. */
export type Point = {
  time: number
  block?: { number: bigint; timestamp: number } | undefined
  protocols?: ReadonlyMap<string, Decimal>
  gaps: readonly PointGap[]
  /** Never computed again. */
  isSettled: boolean
}

export type Points = { wallets: readonly Address[]; chains: readonly string[]; times: readonly number[] }

const within = ({ wallets, chains, times }: Points) => sql`
  wallet = any (${wallets}) and chain = any (${chains}) and time = any (${times}::bigint[])`

const retrySeconds = sql`
  case when gaps @> '[{"reason": "no-state"}]' then ${NO_STATE_RETRY_SECONDS}::int else ${RETRY_SECONDS}::int end`
const isKnown = sql`(is_settled or computed_at > coffer_now() - make_interval(secs => ${retrySeconds}))`

/** Returns `wallet time` of points that need no computation. */
export async function findKnown(db: Db, chain: string, points: Omit<Points, 'chains'>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ wallet: Address; time: bigint }>`
    select wallet, time from wallet_point where ${within({ ...points, chains: [chain] })} and ${isKnown}`.execute(db)
  return new Set(rows.map(({ wallet, time }) => `${wallet} ${time}`))
}

/** A failed read keeps the last good one. */
const ofRead = (column: string) => sql`
  case when excluded.protocols is null and wallet_point.protocols is not null
    then wallet_point.${sql.ref(column)} else excluded.${sql.ref(column)} end`

export async function savePoints(db: Db, of: { wallet: Address; chain: string }, points: readonly Point[]) {
  const rows = points.map(({ time, block, protocols, gaps, isSettled }) => ({
    time,
    block: block?.number ?? null,
    blockTime: block?.timestamp ?? null,
    protocols: protocols ? JSON.stringify(Object.fromEntries([...protocols].map(asText))) : null,
    gaps: JSON.stringify(gaps),
    isSettled,
  }))
  const types = { time: 'bigint', block: 'bigint', blockTime: 'bigint', protocols: 'jsonb', gaps: 'jsonb' }
  await sql`
    insert into wallet_point (wallet, chain, time, block, block_time, protocols, gaps, is_settled, computed_at)
    select ${of.wallet}, ${of.chain}, given.*, coffer_now()
    from ${rowTable('given', { ...types, isSettled: 'boolean' }, rows)}
    on conflict (wallet, chain, time) do update set block = ${ofRead('block')}, block_time = ${ofRead('block_time')},
      protocols = ${ofRead('protocols')}, is_settled = excluded.is_settled, computed_at = excluded.computed_at,
      gaps = case when excluded.protocols is null and wallet_point.protocols is not null
        then '[{"reason": "stale"}]' else excluded.gaps end`.execute(db)
}

const asText = ([protocol, value]: readonly [string, Decimal]) => [protocol, formatDecimal(value)] as const

/** `stored`: wallets with a point; `known`: those that need no computation; `read`: those whose block could be read. */
export type ChainAt = {
  time: number
  chain: string
  stored: number
  known: number
  read: number
  block?: bigint
  blockTime?: number
}
export type ProtocolAt = { time: number; chain: string; protocol: string; value: Decimal }
export type GapAt = { time: number; chain: string; wallets: number } & PointGap

/** Sums over all the wallets. */
export async function sumPoints(db: Db, points: Points) {
  const [{ rows: chains }, { rows: protocols }, { rows: gaps }] = await Promise.all([
    sql<{
      time: bigint
      chain: string
      stored: bigint
      known: bigint
      read: bigint
      block: bigint | null
      blockTime: bigint | null
    }>`
      select time, chain, count(*) as stored, count(*) filter (where ${isKnown}) as known, count(protocols) as read,
        max(block) as block, max(block_time) as "blockTime"
      from wallet_point where ${within(points)} group by time, chain`.execute(db),
    sql<{ time: bigint; chain: string; protocol: string; value: string }>`
      select time, chain, protocol, sum(worth::numeric)::text as value
      from wallet_point, jsonb_each_text(protocols) as part (protocol, worth)
      where ${within(points)} group by time, chain, protocol`.execute(db),
    sql<{ time: bigint; chain: string; protocol: string | null; reason: IncompleteReason; wallets: bigint }>`
      select time, chain, gap ->> 'protocol' as protocol, gap ->> 'reason' as reason, count(distinct wallet) as wallets
      from wallet_point, jsonb_array_elements(gaps) as gap
      where ${within(points)} group by time, chain, gap ->> 'protocol', gap ->> 'reason'`.execute(db),
  ])
  return {
    chains: chains.map(
      ({ time, chain, stored, known, read, block, blockTime }): ChainAt => ({
        time: Number(time),
        chain,
        stored: Number(stored),
        known: Number(known),
        read: Number(read),
        ...(block !== null && blockTime !== null && { block, blockTime: Number(blockTime) }),
      }),
    ),
    protocols: protocols.map(
      ({ time, chain, protocol, value }): ProtocolAt => ({
        time: Number(time),
        chain,
        protocol,
        value: decimal(value),
      }),
    ),
    gaps: gaps.map(
      ({ time, chain, protocol, reason, wallets }): GapAt => ({
        time: Number(time),
        chain,
        reason,
        wallets: Number(wallets),
        ...(protocol !== null && { protocol }),
      }),
    ),
  }
}
