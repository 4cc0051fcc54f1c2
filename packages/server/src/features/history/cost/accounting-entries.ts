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

/** Where stored movements are not all that happened. */
export type Doubts = {
  /** A balance differed from what the token's events said. */
  hasGap(row: Pick<StoredEntry, 'wallet' | 'chain' | 'token'>): boolean
  isNative(row: StoredEntry): boolean
  /** Movements of the token up to this one may be missing. */
  isDoubted(row: StoredEntry): boolean
  /** The units came from a wallet of the account, or over a bridge, whose history there is not whole. */
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

/** The sides of a removal may be native coin, which comes by an inner call. */
const REMOVALS: ReadonlySet<string | null> = new Set<TransactionType>(['REMOVELIQUIDITY', 'MULTITYPE'])

/** Replaces facts of a movement where others may be missing. */
function marksOf(row: StoredEntry, rows: Rows, doubts: Doubts): Partial<EntryMovement> {
  const isNative = doubts.isNative(row)
  const isFromElsewhere = doubts.isFromElsewhere(row)
  const isSilent = !row.native_known
  // A part of the coin that was paid may have come back.
  const isPaid = isSilent && isNative && isGiven(row) && row.treatment !== 'fee'
  return {
    // No departure that is known may be the one of this arrival.
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

/**
 * A movement of an unlisted token with a balance gap proves nothing: it neither pays for other assets nor is paid for.
 * Only if a swap's leg received nothing else did it buy the token.
 */
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
