import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '../../../domain/accounting/entry.ts'
import type { EntryResult } from '../../../domain/accounting/result.ts'
import { runEntries } from '../../../domain/accounting/run.ts'
import type { State } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { type Doubts, entryOf, type FactsOf, type Rows } from './accounting-entries.ts'
import {
  type AccountingStore,
  type Gap,
  gapKey,
  type Scope,
  type StoredEntry,
  type TokenOf,
  walletsOf,
} from './accounting-store.ts'

/** Some ten milliseconds of work. */
const ENTRIES_A_TURN = 1_000

type EntryPage = { entries: readonly StoredEntry[]; facts: FactsOf; doubts: Doubts }

export type ReplayMeans = {
  store: Pick<AccountingStore, 'entries' | 'gaps'>
  /** Includes facts stored by other processes. */
  factsOf(tokens: readonly TokenOf[]): Promise<FactsOf>
}

/** Yields whole days from `from` (`YYYY-MM-DD`, UTC). */
export async function* readEntries(
  { store, factsOf }: ReplayMeans,
  scope: Pick<Scope, 'parts' | 'elsewhere'>,
  from?: string,
): AsyncGenerator<EntryPage, void, undefined> {
  const doubts = doubtsOf(scope, await store.gaps(walletsOf(scope)))
  for await (const entries of store.entries(scope.parts, from)) {
    yield { entries, facts: await factsOf(tokensOf(entries)), doubts }
  }
}

export type Booked = { rows: readonly Rows[]; entries: readonly Entry[]; results: readonly EntryResult[]; state: State }

/** Yields to the event loop so that other requests proceed. */
export function createReplay(from: State) {
  let state = from
  let sinceTurn = 0

  async function* book(
    groups: readonly Rows[],
    { facts, doubts }: Pick<EntryPage, 'facts' | 'doubts'>,
  ): AsyncGenerator<Booked, void, undefined> {
    for (const rows of inParts(groups)) {
      const entries = rows.map((each) => entryOf(each, facts, doubts))
      const ran = runEntries(entries, state)
      state = ran.state
      yield { rows, entries, results: ran.results, state }
      sinceTurn += rows.length
      if (sinceTurn < ENTRIES_A_TURN) continue
      sinceTurn = 0
      await nextTurn()
    }
  }

  return { book, state: () => state }
}

export function tokensOf(entries: readonly TokenOf[]): TokenOf[] {
  return [...new Map(entries.map(({ chain, token }) => [`${chain} ${token}`, { chain, token }])).values()]
}

/** Keeps each transaction together, also across wallets. */
function inParts(entries: readonly Rows[]): Rows[][] {
  const parts: Rows[][] = []
  for (const [i, rows] of entries.entries()) {
    const part = parts.at(-1)
    const isFull = !part || part.length >= ENTRIES_A_TURN
    if (part && (!isFull || isSameTransaction(entries[i - 1], rows))) part.push(rows)
    else parts.push([rows])
  }
  return parts
}

const isSameTransaction = (before: Rows | undefined, [{ chain, hash }]: Rows): boolean =>
  hash !== null && before?.[0].hash === hash && before[0].chain === chain

export function doubtsOf(
  { parts, elsewhere }: Pick<Scope, 'parts' | 'elsewhere'>,
  gaps: ReadonlyMap<string, Gap>,
): Doubts {
  const known = new Map(parts.map((part) => [placeOf(part), part]))
  const unknown = new Set(elsewhere.map(placeOf))
  const incomplete = new Set(
    [...elsewhere, ...parts.filter(({ keptFrom }) => keptFrom !== null)].map((of) => of.wallet),
  )
  return {
    hasGap: (row) => gaps.has(gapKey(row)),
    isNative: (row) => row.token === known.get(placeOf(row))?.native,
    isDoubted(row) {
      const part = known.get(placeOf(row))
      if (!part) return false
      if (row.token === part.native) return part.nativeFrom !== null && row.block >= part.nativeFrom
      return part.lostFrom !== null && row.block >= part.lostFrom && gaps.has(gapKey(row))
    },
    isFromElsewhere({ wallet, chain, counterparty, treatment, amount, block }) {
      if (amount.startsWith('-')) return false
      if (treatment === 'bridge') return incomplete.has(wallet)
      if (treatment !== 'acquire' || counterparty === null) return false
      const sender = placeOf({ wallet: counterparty, chain })
      return unknown.has(sender) || block < (known.get(sender)?.keptFrom ?? 0n)
    },
  }
}

const placeOf = ({ wallet, chain }: { wallet: Address; chain: string }) => `${wallet} ${chain}`
