import type { Entry } from '../../domain/accounting/entry.ts'
import type { EntryResult } from '../../domain/accounting/result.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw } from '../../domain/decimal.ts'
import type { TransactionType } from '../../domain/transaction.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'

/** What a token is to accounting: its decimals, one string for the same coin on every chain, whether it grows by itself. */
type AssetFacts = { decimals: number; identity: string; rebasing: boolean }

/** What a token of a chain is to accounting. */
export type FactsOf = (chain: string, token: Address) => AssetFacts

/** The rows of one transaction of one wallet, or of one adjustment. */
export type Rows = [StoredEntry, ...StoredEntry[]]

/** One string for a transaction of a wallet. */
export const placeOf = ({ chain, block, tx_index }: { chain: string; block: bigint; tx_index: number | null }) =>
  `${chain} ${block} ${tx_index}`

/** Movements of one transaction of one wallet stand together; an adjustment is an entry of its own. */
export function groupEntries(stored: readonly StoredEntry[]): Rows[] {
  const groups: Rows[] = []
  for (const row of stored) {
    const last = groups.at(-1)?.[0]
    const isSame = last && row.tx_index !== null && last.wallet === row.wallet && placeOf(last) === placeOf(row)
    if (isSame) groups.at(-1)?.push(row)
    else groups.push([row])
  }
  return groups
}

export function entryOf(rows: Rows, facts: FactsOf): Entry {
  const [{ wallet, chain, time, hash, type, protocol }] = rows
  return {
    ...{ wallet, chain, time, protocol, transaction: hash },
    type: type as TransactionType | null,
    movements: rows.map((row) => {
      const { decimals, identity, rebasing } = facts(chain, row.token)
      const amountRaw = BigInt(row.amount)
      return {
        ...{ token: row.token, amountRaw, counterparty: row.counterparty, debt: row.debt, identity, rebasing },
        ...{ leg: row.leg, treatment: row.treatment },
        tokenId: row.token_id === null ? null : BigInt(row.token_id),
        quantity: fromRaw(amountRaw, row.token_id === null ? decimals : 0),
        price: decimalOrNull(row.price),
      }
    }),
  }
}

export function resultsOf(rows: Rows, result: EntryResult | undefined): StoredResult[] {
  return rows.flatMap(({ wallet, chain, block, tx_index, place, time }, i) => {
    const movement = result?.movements[i]
    if (!movement || tx_index === null) return []
    const [costBasis, closedPnl] = [movement.costBasis, movement.closedPnl].map(asText)
    return [{ wallet, chain, block, tx_index, place, time, costBasis: costBasis ?? null, closedPnl: closedPnl ?? null }]
  })
}

const asText = (value: Decimal | null) => value && formatDecimal(value)
