import type pg from 'pg'
import type { Rate } from '../../http/gates.ts'
import type { Clock } from '../../lib/clock.ts'
import { createWorkQueue } from '../../lib/work-queue.ts'

const WINDOW_MS = 60_000
/** A process leases this part of the rest of a limit ahead: near the limit each request counts. */
const PART = 60
/** Bounds a statement's parameters. */
const MAX_BATCH = 500
const FORGET_AT_ONCE = 10_000
const QUIET_MS = 60_000

export type RateLimits = ReturnType<typeof createRateLimits>

type Subject = { subject: string; limit: number }
type Lease = Subject & { count: number }

/** `counted`: by all processes at the last lease, at most the limit. `left`: of this process's leases. */
type Window = { endsAt: number; counted: number; left: number }

type Windows = { readonly clock: Clock; readonly bySubject: Map<string, Window> }

/**
 * Windows of a minute that begin with a subject's first request, shared by all API processes. A process counts leased
 * requests in memory. No window admits more than its limit. A process that falls idle leaves its lease unused, at most a
 * 60th of the limit. While the database fails, a process counts alone, with half the limit.
 */
export function createRateLimits({ pool, clock, log }: { pool: pg.Pool; clock: Clock; log(message: string): void }) {
  const windows: Windows = { clock, bySubject: new Map() }
  const leases = createWorkQueue<Subject, Rate>({ maxBatch: MAX_BATCH, run: admitAll })
  let sweepAt = 0
  let quietUntil = 0

  /** Synchronous within a lease. Never rejects. */
  function take(subject: string, limit: number): Rate | Promise<Rate> {
    if (clock.now() >= sweepAt) sweep()
    const window = current(windows, subject)
    const isKnown = window && (window.left > 0 || window.counted >= limit)
    return isKnown ? admit(windows, window, limit) : leases.push({ subject, limit })
  }

  /** A request that one window refuses is not counted in the other. */
  function takeBoth(one: Subject, all: Subject): Rate | Promise<Rate> {
    const own = take(one.subject, one.limit)
    const whole = take(all.subject, all.limit)
    if (!(own instanceof Promise || whole instanceof Promise)) return stricter(one, own, all, whole)
    return Promise.all([own, whole]).then(([mine, ofAll]) => stricter(one, mine, all, ofAll))
  }

  function stricter(one: Subject, mine: Rate, all: Subject, ofAll: Rate): Rate {
    if (mine.allowed === ofAll.allowed) return mine
    if (mine.allowed) giveBack(windows, one.subject, mine)
    else giveBack(windows, all.subject, ofAll)
    return mine.allowed ? ofAll : mine
  }

  async function admitAll(batch: readonly Subject[]): Promise<Rate[]> {
    const wanted = new Map<string, Lease>()
    for (const { subject, limit } of batch) {
      const count = (wanted.get(subject)?.count ?? ahead(windows, { subject, limit })) + 1
      wanted.set(subject, { subject, limit, count })
    }
    const stored = await count(pool, [...wanted.values()], clock.now()).catch(noteFailure)
    for (const lease of wanted.values()) {
      windows.bySubject.set(lease.subject, renewed(windows, lease, stored?.get(lease.subject)))
    }
    return batch.map(({ subject, limit }) => admit(windows, windows.bySubject.get(subject) as Window, limit))
  }

  function noteFailure(error: unknown): undefined {
    if (clock.now() < quietUntil) return
    quietUntil = clock.now() + QUIET_MS
    log(`rate limits cannot be shared: this process counts alone, with half of each limit: ${String(error)}`)
  }

  function sweep(): void {
    const now = clock.now()
    sweepAt = now + WINDOW_MS
    for (const [subject, { endsAt }] of windows.bySubject) if (endsAt <= now) windows.bySubject.delete(subject)
    // The next sweep repeats it.
    forget(pool, now - WINDOW_MS).catch(() => undefined)
  }

  return { take, takeBoth }
}

const secondsOf = ({ endsAt }: Window) => Math.ceil(endsAt / 1_000)

function current({ bySubject, clock }: Windows, subject: string): Window | undefined {
  const window = bySubject.get(subject)
  return window && window.endsAt > clock.now() ? window : undefined
}

function admit({ clock }: Windows, window: Window, limit: number): Rate {
  const allowed = window.left > 0
  if (allowed) window.left -= 1
  return {
    allowed,
    limit,
    remaining: Math.max(limit - window.counted, 0) + window.left,
    resetAt: secondsOf(window),
    retryAfterSeconds: Math.max(Math.ceil((window.endsAt - clock.now()) / 1_000), 1),
  }
}

function giveBack(windows: Windows, subject: string, { resetAt }: Rate): void {
  const window = current(windows, subject)
  if (window && secondsOf(window) === resetAt) window.left += 1
}

function ahead(windows: Windows, { subject, limit }: Subject): number {
  const rest = limit - (current(windows, subject)?.counted ?? 0)
  // A lowered limit may lie below the count.
  return Math.max(Math.floor(rest / PART), 0)
}

/** Without `stored` the process counts alone. */
function renewed(windows: Windows, { subject, limit, count }: Lease, stored: Stored | undefined): Window {
  const before = current(windows, subject)
  if (!stored) {
    const granted = Math.min(Math.ceil(limit / 2), Math.max(limit - (before?.counted ?? 0), 0))
    const endsAt = before?.endsAt ?? windows.clock.now() + WINDOW_MS
    return { endsAt, counted: limit, left: (before?.left ?? 0) + granted }
  }
  const { points, endsAt } = stored
  const granted = Math.min(Math.max(limit - (points - count), 0), count)
  const left = before?.endsAt === endsAt ? before.left : 0
  return { endsAt, counted: Math.min(points, limit), left: left + granted }
}

/** `points` includes the lease. `endsAt` in ms. */
type Stored = { points: number; endsAt: number }

/** Ordered, so that processes lock rows in one order. A window that ends too late is from a wrong clock. */
async function count(pool: pg.Pool, leases: readonly Lease[], now: number) {
  const { rows } = await pool.query<{ subject: string; points: bigint; ends_at: bigint }>(
    `insert into rate_limit_window as stored (subject, points, ends_at)
    select subject, points, $3::bigint + $4 from unnest($1::text[], $2::bigint[]) as wanted (subject, points)
    order by subject
    on conflict (subject) do update set
      points = excluded.points
        + case when stored.ends_at > $3 and stored.ends_at <= $3 + 2 * $4::bigint then stored.points else 0 end,
      ends_at = case when stored.ends_at > $3 and stored.ends_at <= $3 + 2 * $4::bigint then stored.ends_at
        else excluded.ends_at end
    returning subject, points, ends_at`,
    [leases.map(({ subject }) => textOf(subject)), leases.map((lease) => lease.count), now, WINDOW_MS],
  )
  const stored = new Map(
    rows.map((row) => [row.subject, { points: Number(row.points), endsAt: Number(row.ends_at) }] as const),
  )
  return new Map(leases.map(({ subject }) => [subject, stored.get(textOf(subject))]))
}

/** PostgreSQL's text has no NUL or lone surrogate; a caller chooses the name to sign in with. */
const textOf = (subject: string) => subject.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\0', '\\0')

async function forget(pool: pg.Pool, before: number): Promise<void> {
  await pool.query(
    `delete from rate_limit_window where subject = any (array(
      select subject from rate_limit_window where ends_at <= $1 limit $2 for update skip locked))`,
    [before, FORGET_AT_ONCE],
  )
}
