import { type exportEndpoints, Failure, type FileAnswer, type GainFormat, type RequestOf } from '@coffer/contract'
import type { SoldLot } from '../../../domain/accounting/lot-lines.ts'
import { startOfDay } from '../../../domain/day.ts'
import type { Pnl, PnlScopes } from '../pnl/pnl.ts'
import { presentLeftOut } from '../pnl/pnl-views.ts'
import { presentSoldLot } from '../pnl/present-lots.ts'
import type { symbolsOf } from '../pnl/symbols.ts'
import { BOM, headerOf, leftOutLine, linesOf, type Missing } from './csv.ts'
import { type GainLine, gainColumns } from './gain-columns.ts'

type Query = RequestOf<ReturnType<typeof exportEndpoints>['exportGains']>['query']

export type GainFiles = ReturnType<typeof createGainFiles>

export function createGainFiles({
  pnl,
  symbolsOf: findSymbols,
}: {
  pnl: Pick<Pnl, 'findScopes' | 'lots'>
  symbolsOf(lots: readonly SoldLot[]): ReturnType<typeof symbolsOf>
}) {
  type Found = Awaited<ReturnType<Pnl['findScopes']>>

  /** Fails if a history changed meanwhile: its lots would not match. */
  async function* pages(accountId: string, query: Query, found: Found): AsyncGenerator<GainLine[], void, undefined> {
    const { addresses, method, from, to } = query
    for await (const { sold } of pnl.lots(found, method, { from: startOfDay(from), to: startOfDay(to) })) {
      if (sold.length === 0) continue
      const symbolOf = await findSymbols(sold)
      yield sold.map((lot) => ({ lot, shown: presentSoldLot(lot), symbol: symbolOf(lot) }))
    }
    const { version } = await pnl.findScopes(accountId, addresses)
    if (version !== found.version) throw new Error('a history changed while its gains were read')
  }

  async function* csv(accountId: string, query: Query, format: Exclude<GainFormat, 'JSONL'>, found: Found) {
    const columns = gainColumns[format]
    yield (format === 'COFFER' ? BOM : '') +
      headerOf(columns) +
      missingOf(found)
        .map((missing) => leftOutLine(columns, missing))
        .join('')
    for await (const lines of pages(accountId, query, found)) yield linesOf(columns, lines)
  }

  async function* jsonLines(accountId: string, query: Query, found: Found) {
    let rows = 0
    for await (const lines of pages(accountId, query, found)) {
      rows += lines.length
      yield lines.map(({ shown, symbol }) => `${JSON.stringify({ ...shown, symbol })}\n`).join('')
    }
    const { method, from, to } = query
    const about = { currency: 'USD', method, from, to, ...presentLeftOut(found) }
    yield `${JSON.stringify({ complete: true, rows, ...about })}\n`
  }

  return {
    /** Throws HISTORY_INCOMPLETE unless `partial` allows omissions. */
    async check(accountId: string, { addresses, partial }: Pick<Query, 'addresses' | 'partial'>): Promise<void> {
      if (partial) return
      const missing = missingOf(await pnl.findScopes(accountId, addresses))
      if (missing.length === 0) return
      const names = missing.map(({ wallet, chain }) => (chain ? `${wallet} on ${chain}` : wallet)).join(', ')
      throw new Failure(
        'HISTORY_INCOMPLETE',
        `The history of ${names} is incomplete: call POST /v1/sync-transactions, or add partial=true to exclude it`,
      )
    },

    async open(accountId: string, query: Query): Promise<FileAnswer> {
      const { format, from, to } = query
      const found = await pnl.findScopes(accountId, query.addresses)
      const name = `gains-${format.toLowerCase().replaceAll('_', '-')}-${from}-${to}`
      const isComplete = missingOf(found).length === 0
      return format === 'JSONL'
        ? { type: 'application/x-ndjson', name: `${name}.jsonl`, parts: jsonLines(accountId, query, found), isComplete }
        : { type: 'text/csv', name: `${name}.csv`, parts: csv(accountId, query, format, found), isComplete }
    },
  }
}

const missingOf = ({ withoutHistory, leftOut }: Pick<PnlScopes, 'withoutHistory' | 'leftOut'>): Missing[] => [
  ...withoutHistory.map((wallet) => ({ wallet, reason: 'no-history' as const })),
  ...leftOut,
]
