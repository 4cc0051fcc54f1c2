import type { exportEndpoints, FileAnswer, GainFormat, RequestOf } from '@coffer/contract'
import type { SoldLot } from '../../../domain/accounting/lot-lines.ts'
import { startOfDay } from '../../../domain/day.ts'
import type { Pnl } from '../pnl/pnl.ts'
import { presentSoldLot } from '../pnl/present-lots.ts'
import type { symbolsOf } from '../pnl/symbols.ts'
import { headerOf, linesOf } from './csv.ts'
import { type GainLine, gainColumns } from './gain-columns.ts'

type Query = RequestOf<ReturnType<typeof exportEndpoints>['exportGains']>['query']

export type GainFiles = ReturnType<typeof createGainFiles>

/** Files of realised gains, lot by lot, by the books run again from the first entry on. */
export function createGainFiles({
  pnl,
  symbolsOf: findSymbols,
}: {
  pnl: Pick<Pnl, 'findScopes' | 'lots'>
  symbolsOf(lots: readonly SoldLot[]): ReturnType<typeof symbolsOf>
}) {
  type Found = Awaited<ReturnType<Pnl['findScopes']>>

  /** Fails where a history changed meanwhile: lots of before and after it do not belong together. */
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

  async function* csv(accountId: string, query: Query, format: Exclude<GainFormat, 'JSONL'>) {
    const columns = gainColumns[format]
    const found = await pnl.findScopes(accountId, query.addresses)
    yield headerOf(columns)
    for await (const lines of pages(accountId, query, found)) yield linesOf(columns, lines)
  }

  async function* jsonLines(accountId: string, query: Query) {
    const found = await pnl.findScopes(accountId, query.addresses)
    let rows = 0
    for await (const lines of pages(accountId, query, found)) {
      rows += lines.length
      yield lines.map(({ shown, symbol }) => `${JSON.stringify({ ...shown, symbol })}\n`).join('')
    }
    const { method, from, to } = query
    const about = { currency: 'USD', method, from, to, withoutHistory: found.withoutHistory }
    yield `${JSON.stringify({ complete: true, rows, ...about })}\n`
  }

  return {
    open(accountId: string, query: Query): FileAnswer {
      const { format, from, to } = query
      const name = `gains-${format.toLowerCase().replaceAll('_', '-')}-${from}-${to}`
      return format === 'JSONL'
        ? { type: 'application/x-ndjson', name: `${name}.jsonl`, parts: jsonLines(accountId, query) }
        : { type: 'text/csv', name: `${name}.csv`, parts: csv(accountId, query, format) }
    },
  }
}
