import type { Entry, EntryMovement } from '../../../domain/accounting/entry.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw } from '../../../domain/decimal.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import type { StoredResult } from './accounting-store.ts'
import type { StoredEntry } from './stored-entries.ts'

/** `identity`: equal for a coin on every chain. `rebasing`: grows by itself. `listed`: by a token list or protocol. */
type AssetFacts = { decimals: number | undefined; identity: string; rebasing: boolean; listed: boolean }

export type FactsOf = (chain: string, token: Address) => AssetFacts

/** One transaction of a wallet, or one adjustment. */
export type Rows = [StoredEntry, ...StoredEntry[]]

export const placeOf = ({ chain, block, tx_index }: { chain: string; block: bigint; tx_index: number | null }) =>
  `${chain} ${block} ${tx_index}`

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

export type Doubts = {
  /** The balance differed from the token's events. */
  hasGap(row: StoredEntry): boolean
  isNative(row: StoredEntry): boolean
  /** Movements up to this one may be missing. */
  isDoubted(row: StoredEntry): boolean
  /** From another wallet of the account or over a bridge, with an incomplete history. */
  isFromElsewhere(row: StoredEntry): boolean
}

export function entryOf(rows: Rows, facts: FactsOf, doubts: Doubts): Entry {
  const [{ wallet, chain, time, hash, type, protocol }] = rows
  const isRefuted = (row: StoredEntry) => row.token_id === null && doubts.hasGap(row) && !facts(chain, row.token).listed
  return {
    wallet,
    chain,
    time,
    protocol,
    transaction: hash,
    type: type as TransactionType | null,
    movements: rows.map((row): EntryMovement => {
      const { decimals, identity, rebasing } = facts(chain, row.token)
      const amountRaw = BigInt(row.amount)
      const places = row.token_id === null ? decimals : 0
      const isGap = isRefuted(row) && !isAllThatWasBought(row, rows, isRefuted)
      return {
        token: row.token,
        amountRaw,
        counterparty: row.counterparty,
        debt: row.debt,
        identity,
        rebasing,
        leg: row.leg,
        treatment: row.treatment,
        tokenId: row.token_id === null ? null : BigInt(row.token_id),
        multiplier: decimalOrNull(row.multiplier),
        // Without decimals the quantity is in base units, which have no price.
        quantity: fromRaw(amountRaw, places ?? 0),
        price: places === undefined ? null : decimalOrNull(row.price),
        ...marksOf(row, rows, doubts),
        ...(isGap && { treatment: 'gap' }),
      }
    }),
  }
}

/** May pay native coin by an internal call. */
const REMOVALS: ReadonlySet<string | null> = new Set<TransactionType>(['REMOVELIQUIDITY', 'MULTITYPE'])

function marksOf(row: StoredEntry, rows: Rows, doubts: Doubts): Partial<EntryMovement> {
  const isNative = doubts.isNative(row)
  const isFromElsewhere = doubts.isFromElsewhere(row)
  const isSilent = !row.native_known
  // Part of the coin may have come back.
  const isPaid = isSilent && isNative && isGiven(row) && row.treatment !== 'fee'
  return {
    // Must not be matched with a known departure.
    ...(isFromElsewhere && { treatment: 'acquire' }),
    ...((isFromElsewhere || isPaid) && { price: null }),
    doubted: doubts.isDoubted(row) || (isSilent && isTakenOut(row, rows)),
    gasInToken: row.treatment === 'fee' && !isNative,
    unpaid: isSilent && !isNative && !row.plain && row.treatment === 'send',
  }
}

const isTakenOut = (row: StoredEntry, rows: Rows) =>
  row.treatment === 'move' &&
  REMOVALS.has(row.type) &&
  !isGiven(row) &&
  rows.some((other) => other.leg === row.leg && isGiven(other))

const isGiven = ({ amount }: StoredEntry) => amount.startsWith('-')

/** An unlisted token with a balance gap is not paid for, unless the swap's leg received nothing else. */
function isAllThatWasBought(row: StoredEntry, rows: Rows, isRefuted: (row: StoredEntry) => boolean): boolean {
  const isBought = (other: StoredEntry) => other.leg === row.leg && other.treatment === 'swap' && !isGiven(other)
  return isBought(row) && rows.filter(isBought).every(isRefuted)
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
