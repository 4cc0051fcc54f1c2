import type { UsageOutcome } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Logger } from '../../lib/logger.ts'
import { addUsage, type UsageRow } from './usage-store.ts'

const BY_STATUS: Readonly<Record<number, UsageOutcome>> = {
  401: 'access',
  402: 'credits',
  403: 'access',
  429: 'rate',
  503: 'busy',
}

const WRITE_MS = 5_000

type Line = { accountId: string; keyId: string; counts: Map<UsageOutcome, { requests: number; credits: number }> }

export type UsageCounter = ReturnType<typeof createUsageCounter>

/**
 * Writes sums every five seconds. Failed writes are kept, so that memory grows with keys and endpoints, not with calls.
 * A killed process loses unwritten counts; the ledger of credits does not depend on them.
 */
export function createUsageCounter({ db, log }: { db: Kysely<Tables>; log: Pick<Logger, 'warn'> }) {
  const endpoints = new Map<string, Map<string, Line>>()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const route = (endpoint: string) => {
    const lines = new Map<string, Line>()
    endpoints.set(endpoint, lines)
    return ({ accountId, keyId }: { accountId: string; keyId: string }, status: number, credits: number): void => {
      const { counts } = lines.get(keyId) ?? beginLine(lines, accountId, keyId)
      add(counts, outcomeOf(status), 1, credits)
    }
  }

  function take(): UsageRow[] {
    return [...endpoints].flatMap(([endpoint, lines]) => {
      const taken = [...lines.values()]
      lines.clear()
      return taken.flatMap(({ counts, ...caller }) =>
        [...counts].map(([outcome, count]) => ({ ...caller, endpoint, outcome, ...count })),
      )
    })
  }

  async function write(): Promise<void> {
    const rows = take()
    if (rows.length === 0) return
    try {
      await addUsage(db, rows)
    } catch (err) {
      log.warn({ err }, 'the usage of API keys could not be stored; the service tries again')
      for (const { endpoint, accountId, keyId, outcome, requests, credits } of rows) {
        const lines = endpoints.get(endpoint)
        if (lines) add((lines.get(keyId) ?? beginLine(lines, accountId, keyId)).counts, outcome, requests, credits)
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  return {
    route,
    flush,
    start(): void {
      timer = setInterval(() => void flush(), WRITE_MS).unref()
    },
    stop(): Promise<void> {
      clearInterval(timer)
      return flush()
    },
  }
}

function beginLine(lines: Map<string, Line>, accountId: string, keyId: string): Line {
  const line: Line = { accountId, keyId, counts: new Map() }
  lines.set(keyId, line)
  return line
}

function add(counts: Line['counts'], outcome: UsageOutcome, requests: number, credits: number): void {
  const count = counts.get(outcome)
  if (count) {
    count.requests += requests
    count.credits += credits
  } else counts.set(outcome, { requests, credits })
}

function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'ok'
  return BY_STATUS[status] ?? (status < 500 ? 'input' : 'failed')
}
