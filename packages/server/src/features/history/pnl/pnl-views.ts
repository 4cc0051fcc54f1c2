import type { RequestOf } from '@coffer/contract'
import { COST_METHODS, type CostMethod, type pnlEndpoints } from '@coffer/contract/portal'
import type { Address } from '../../../domain/address.ts'
import { dayOf, startOfDay } from '../../../domain/day.ts'
import { type Period, periodsOf } from '../../../domain/periods.ts'
import type { Clock } from '../../../lib/clock.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { createKept } from '../../../lib/kept.ts'
import type { CostContext } from '../context.ts'
import { StillComputing } from '../cost/cost-accounts.ts'
import { findFirstEntryAt } from '../cost/stored-entries.ts'
import { findScopes, lotsOf, type PnlPart, type PnlScopes } from './pnl.ts'
import { sumsBetween } from './pnl-sums.ts'
import {
  presentEarning,
  presentLeftOut,
  presentOpenLot,
  presentSoldLot,
  presentSums,
  symbolsOf,
  type TokenLine,
} from './present-lots.ts'

/** Newly known decimals do not change the key. */
const FRESH_MS = 60_000
const KEPT = 20
/** Each run occupies a processor. */
const RUNS = 2
const ATTEMPTS = 3

type PeriodsAsked = RequestOf<(typeof pnlEndpoints)['getPnlPeriods']>['query']
type LotsAsked = RequestOf<(typeof pnlEndpoints)['listSoldLots']>['query']

export function createPnlViews(costContext: CostContext, clock: Clock) {
  const gate = createGate(RUNS)
  const kept = createKept<unknown>({ most: KEPT, clock, freshMs: FRESH_MS })

  /** Repeats if a history changed meanwhile. */
  async function ofScopes<T>(
    accountId: string,
    asked: { addresses: readonly Address[] },
    work: (scopes: PnlScopes) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const scopes = await findScopes(costContext, accountId, asked.addresses)
      const key = JSON.stringify([accountId, asked, scopes.version])
      const value = await kept.get(key, () => gate(() => work(scopes)))
      const { version } = await findScopes(costContext, accountId, asked.addresses)
      if (version === scopes.version || attempt === ATTEMPTS) return value
    }
  }

  async function page<T extends TokenLine, V extends object>(
    accountId: string,
    asked: LotsAsked & { list: string },
    pick: (part: PnlPart) => readonly T[],
    present: (line: T) => V,
  ) {
    const { method, from, to, offset } = asked
    return ofScopes(accountId, asked, async (found) => {
      const parts = lotsOf(costContext, found, method, { from: startOfDay(from), to: startOfDay(to) })
      const { lines, total } = await pageOf(parts, pick, asked)
      const symbolOf = await symbolsOf(lines, costContext.findTokens)
      const lots = lines.map((line) => ({ ...present(line), symbol: symbolOf(line) }))
      return { currency: 'USD' as const, ...presentLeftOut(found), method, from, to, offset, total, lots }
    })
  }

  const keepsLots = ({ method }: LotsAsked) => method !== 'AVG'

  return {
    async periods(accountId: string, asked: PeriodsAsked) {
      const accountMethod = await costContext.methodOf(accountId)
      const about = { currency: 'USD' as const, accountMethod }
      return ofScopes(accountId, asked, async (found) => ({
        ...about,
        ...presentLeftOut(found),
        periods: await periodsIn(costContext, accountId, asked, found, clock.now()),
        computedTo: null,
      })).catch((thrown: unknown) => {
        if (!(thrown instanceof StillComputing)) throw thrown
        return { ...about, withoutHistory: [], leftOut: [], periods: [], computedTo: thrown.next }
      })
    },
    sold: async (accountId: string, asked: LotsAsked) => ({
      keepsLots: keepsLots(asked),
      ...(await page(accountId, { ...asked, list: 'sold' }, ({ sold }) => sold, presentSoldLot)),
    }),
    open: async (accountId: string, asked: LotsAsked) => ({
      keepsLots: keepsLots(asked),
      ...(await page(accountId, { ...asked, list: 'open' }, ({ open }) => open, presentOpenLot)),
    }),
    income: (accountId: string, asked: LotsAsked) =>
      page(accountId, { ...asked, list: 'income' }, ({ earned }) => earned, presentEarning),
  }
}

/** Newest first, each with all methods. */
async function periodsIn(
  costContext: CostContext,
  accountId: string,
  asked: PeriodsAsked,
  found: PnlScopes,
  now: number,
) {
  const wallets = found.scopes.flatMap((each) => each.wallets)
  const spans = spansOf(asked, await findFirstEntryAt(costContext.db, wallets), now)
  const [first] = spans
  if (!first) return []
  const edges = [first.from, ...spans.map(({ to }) => to)]
  const sums = await ofAllMethods((method) => sumsBetween(costContext, accountId, found, method, edges))
  return spans
    .map((span, i) => ({
      ...span,
      methods: sums.flatMap(({ method, found }) => {
        const sum = found[i]
        return sum ? [{ method, ...presentSums(sum) }] : []
      }),
    }))
    .reverse()
}

/** Begins every job. Throws a fault first, otherwise `StillComputing` of the job that is furthest behind. */
async function ofAllMethods<T>(find: (method: CostMethod) => Promise<T>) {
  const asked = COST_METHODS.map(async (method) => ({ method, found: await find(method) }))
  const ended = await Promise.allSettled(asked)
  const failed = ended.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []))
  const computing = failed.filter((reason) => reason instanceof StillComputing)
  const fault = failed.find((reason) => !(reason instanceof StillComputing))
  if (failed.length > 0) throw fault ?? computing.toSorted((a, b) => compareText(a.next, b.next))[0]
  return Promise.all(asked)
}

async function pageOf<T>(
  parts: AsyncIterable<PnlPart>,
  pick: (part: PnlPart) => readonly T[],
  { offset, limit }: LotsAsked,
): Promise<{ lines: T[]; total: number }> {
  const lines: T[] = []
  let total = 0
  for await (const part of parts) {
    const picked = pick(part)
    const [begin, end] = [offset - total, offset + limit - total].map((place) => Math.max(place, 0))
    lines.push(...picked.slice(begin, end))
    total += picked.length
  }
  return { lines, total }
}

/** Clips to the first transaction and the end of this year, but for TOTAL. */
function spansOf({ by, from, to }: PeriodsAsked, firstAt: number | undefined, now: number): Period[] {
  if (firstAt === undefined) return []
  if (by === 'TOTAL') return periodsOf({ from: from ?? dayOf(firstAt), to }, by)
  const [first, end] = [dayOf(firstAt), `${new Date(now).getUTCFullYear() + 1}-01-01`]
  return periodsOf({ from: from === undefined || from < first ? first : from, to: to < end ? to : end }, by)
}
