import type { RequestOf } from '@coffer/contract'
import { COST_METHODS, type CostMethod, type pnlEndpoints } from '@coffer/contract/portal'
import { earnedUnits, soldLots } from '../../../domain/accounting/lot-lines.ts'
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
import { findScopes, linesBetween, openLotsAt, type PnlScopes, Recomputed, type Span } from './pnl.ts'
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
type Asked = { addresses: readonly Address[]; method?: CostMethod }
type Work<T> = (found: PnlScopes) => Promise<T>
type Periods = Awaited<ReturnType<typeof periodsIn>>
type LotsAsked = RequestOf<(typeof pnlEndpoints)['listSoldLots']>['query']

export function createPnlViews(costContext: CostContext, clock: Clock) {
  const gate = createGate(RUNS)
  const kept = createKept<unknown>({ most: KEPT, clock, freshMs: FRESH_MS })

  /** `empty`: while figures are computed. */
  async function answer<T extends object>(accountId: string, asked: Asked, empty: T, work: Work<T>) {
    try {
      return await ofScopes(accountId, asked, async (found) => {
        return { ...(await work(found)), ...presentLeftOut(found), computedTo: null }
      })
    } catch (thrown) {
      if (!(thrown instanceof StillComputing)) throw thrown
      return { ...empty, withoutHistory: [], leftOut: [], computedTo: thrown.next }
    }
  }

  /** Repeats if a history changed meanwhile. */
  async function ofScopes<T>(accountId: string, asked: Asked, work: Work<T>): Promise<T> {
    const find = () => findScopes(costContext, accountId, asked.addresses, asked.method)
    for (let attempt = 1; ; attempt += 1) {
      const scopes = await find()
      const key = JSON.stringify([accountId, asked, scopes.version])
      const value = kept.get(key, () => gate(() => work(scopes)))
      const isRecomputed = await value.then(
        () => false,
        (thrown) => thrown instanceof Recomputed,
      )
      const { version } = await find()
      if (attempt === ATTEMPTS || (!isRecomputed && version === scopes.version)) return value
    }
  }

  async function page<T extends TokenLine, V extends object>(
    accountId: string,
    asked: LotsAsked & { list: string },
    linesOf: (found: PnlScopes) => AsyncIterable<readonly T[]>,
    present: (line: T) => V,
  ) {
    const { method, from, to, offset } = asked
    const about = { currency: 'USD' as const, method, from, to, offset }
    const none = { total: 0, lots: [] as (V & { symbol: string })[] }
    return answer(accountId, asked, { ...about, ...none }, async (found) => {
      const { lines, total } = await pageOf(linesOf(found), asked)
      const symbolOf = await symbolsOf(lines, costContext.findTokens)
      return { ...about, total, lots: lines.map((line) => ({ ...present(line), symbol: symbolOf(line) })) }
    })
  }

  const keepsLots = ({ method }: LotsAsked) => method !== 'AVG'

  return {
    async periods(accountId: string, asked: PeriodsAsked) {
      const accountMethod = await costContext.methodOf(accountId)
      const about = { currency: 'USD' as const, accountMethod }
      return answer(accountId, asked, { ...about, periods: [] as Periods }, async (found) => ({
        ...about,
        periods: await periodsIn(costContext, accountId, asked, found, clock.now()),
      }))
    },
    async sold(accountId: string, asked: LotsAsked) {
      const soldOf = (found: PnlScopes) => linesBetween(costContext, { accountId }, found, spanOf(asked), soldLots)
      return {
        keepsLots: keepsLots(asked),
        ...(await page(accountId, { ...asked, list: 'sold' }, soldOf, presentSoldLot)),
      }
    },
    async open(accountId: string, asked: LotsAsked) {
      const openOf = (found: PnlScopes) => openLotsAt(costContext, { accountId }, found, spanOf(asked).to)
      return {
        keepsLots: keepsLots(asked),
        ...(await page(accountId, { ...asked, list: 'open' }, openOf, presentOpenLot)),
      }
    },
    income(accountId: string, asked: LotsAsked) {
      const earnedOf = (found: PnlScopes) => linesBetween(costContext, { accountId }, found, spanOf(asked), earnedUnits)
      return page(accountId, { ...asked, list: 'income' }, earnedOf, presentEarning)
    },
  }
}

const spanOf = ({ from, to }: LotsAsked): Span => ({ from: startOfDay(from), to: startOfDay(to) })

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

async function pageOf<T>(parts: AsyncIterable<readonly T[]>, { offset, limit }: LotsAsked) {
  const lines: T[] = []
  let total = 0
  for await (const part of parts) {
    const [begin, end] = [offset - total, offset + limit - total].map((place) => Math.max(place, 0))
    lines.push(...part.slice(begin, end))
    total += part.length
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
