import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'

type Hex = `0x${string}`

/** Absent fields do not filter. Times in Unix milliseconds. */
export type TransactionFilter = {
  wallets: readonly Address[]
  chains?: readonly string[] | undefined
  types?: readonly string[] | undefined
  protocols?: readonly string[] | undefined
  hideSpam: boolean
  hideDust: boolean
  from?: number | undefined
  to?: number | undefined
  tokenId?: string | undefined
  /** Senders, recipients or counterparties. */
  tenants?: readonly string[] | undefined
  /** Matches a part of the hash (lower case), or any token (gas excluded), protocol or selector. */
  search?:
    | { hash: string; tokens: readonly TokenOnChain[]; protocols: readonly string[]; selectors: readonly Hex[] }
    | undefined
}

export type TokenOnChain = { chain: string; token: Address }

const DUST_USD = '0.01'

type Builder = ExpressionBuilder<Tables & { tx: Tables['history_transaction'] }, 'tx'>

export function matches(eb: Builder, filter: TransactionFilter) {
  const { chains, types, protocols, from, to, tokenId, tenants, search } = filter
  return eb.and([
    eb('tx.wallet', 'in', filter.wallets),
    ...(chains ? [eb('tx.chain', 'in', chains)] : []),
    ...(types ? [types.length > 0 ? eb('tx.type', 'in', types) : eb.lit(false)] : []),
    ...(protocols ? [eb('tx.protocol', 'in', protocols)] : []),
    ...(from === undefined ? [] : [eb('tx.block_time', '>=', new Date(from))]),
    ...(to === undefined ? [] : [eb('tx.block_time', '<=', new Date(to))]),
    ...(filter.hideSpam ? [eb('tx.type', '<>', 'SPAM')] : []),
    ...(filter.hideDust ? [eb.or([eb('tx.value_usd', 'is', null), eb('tx.value_usd', '>=', DUST_USD)])] : []),
    ...(tokenId === undefined ? [] : [hasMovement(filter, sql<boolean>`movement.token_id = ${tokenId}::numeric`)]),
    ...(tenants ? [tookPart(eb, filter, tenants)] : []),
    ...(search ? [found(eb, filter, search)] : []),
  ])
}

/** Not correlated: PostgreSQL evaluates it once, also within an OR. */
function hasMovement({ wallets }: TransactionFilter, condition: RawBuilder<boolean>) {
  return sql<boolean>`(tx.wallet, tx.chain, tx.block, tx.tx_index) in (
    select wallet, chain, block, tx_index from history_movement as movement
    where movement.wallet = any (${wallets}::text[]) and ${condition})`
}

function tookPart(eb: Builder, filter: TransactionFilter, tenants: readonly string[]) {
  return eb.or([
    eb('tx.sender', 'in', tenants as readonly Hex[]),
    eb('tx.recipient', 'in', tenants as readonly Hex[]),
    hasMovement(filter, sql<boolean>`movement.counterparty = any (${tenants}::text[])`),
  ])
}

function found(
  eb: Builder,
  filter: TransactionFilter,
  { hash, tokens, protocols, selectors }: NonNullable<TransactionFilter['search']>,
) {
  return eb.or([
    sql<boolean>`strpos(lower(tx.hash), ${hash}) > 0`,
    ...(protocols.length > 0 ? [eb('tx.protocol', 'in', protocols)] : []),
    ...(selectors.length > 0 ? [eb('tx.selector', 'in', selectors)] : []),
    ...(tokens.length > 0
      ? [
          hasMovement(
            filter,
            sql<boolean>`(movement.chain, movement.token) in (
              select * from unnest(${tokens.map(({ chain }) => chain)}::text[], ${tokens.map(({ token }) => token)}::text[]))
              and movement.treatment <> 'fee'`,
          ),
        ]
      : []),
  ])
}
