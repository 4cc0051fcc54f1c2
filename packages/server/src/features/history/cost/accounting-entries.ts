import type { Entry, EntryMovement } from '../../../domain/accounting/entry.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw } from '../../../domain/decimal.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import type { StoredEntry, StoredResult } from './accounting-store.ts'

/**
 * A token as accounting sees it. `decimals`: undefined if unknown. `identity`: one string for the same coin on every
 * chain. `rebasing`: its balance grows by itself. `listed`: a token list or a protocol names it.
 */
export type AssetFacts = { decimals: number | undefined; identity: string; rebasing: boolean; listed: boolean }

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

/** Whether a balance differed from what a token's events said, for a wallet on a chain. */
export type HasGap = (row: Pick<StoredEntry, 'wallet' | 'chain' | 'token'>) => boolean

export function entryOf(rows: Rows, facts: FactsOf, hasGap: HasGap): Entry {
  const [{ wallet, chain, time, hash, type, protocol }] = rows
  const isDoubted = (row: StoredEntry) => row.token_id === null && hasGap(row) && !facts(chain, row.token).listed
  return {
    ...{ wallet, chain, time, protocol, transaction: hash },
    type: type as TransactionType | null,
    movements: rows.map((row): EntryMovement => {
      const { decimals, identity, rebasing } = facts(chain, row.token)
      const amountRaw = BigInt(row.amount)
      const places = row.token_id === null ? decimals : 0
      return {
        ...{ token: row.token, amountRaw, counterparty: row.counterparty, debt: row.debt, identity, rebasing },
        leg: row.leg,
        treatment: isDoubted(row) && !isAllThatWasBought(row, rows, isDoubted) ? 'gap' : row.treatment,
        tokenId: row.token_id === null ? null : BigInt(row.token_id),
        // Without decimals the quantity is in base units, which have no price.
        quantity: fromRaw(amountRaw, places ?? 0),
        price: places === undefined ? null : decimalOrNull(row.price),
      }
    }),
  }
}

/**
 * A movement of an unlisted token with a balance gap proves nothing: it neither pays for other assets nor is paid for.
 * Only if a swap's leg received nothing else did it buy the token.
 */
function isAllThatWasBought(row: StoredEntry, rows: Rows, isDoubted: (row: StoredEntry) => boolean): boolean {
  const isBought = ({ leg, treatment, amount }: StoredEntry) =>
    leg === row.leg && treatment === 'swap' && !amount.startsWith('-')
  return isBought(row) && rows.filter(isBought).every(isDoubted)
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
