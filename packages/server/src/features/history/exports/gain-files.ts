import { type endpoints, Failure, type FileAnswer, type GainFormat, type RequestOf } from '@coffer/contract'
import { type SoldLot, soldLots } from '../../../domain/accounting/lot-lines.ts'
import type { Address } from '../../../domain/address.ts'
import { startOfDay } from '../../../domain/day.ts'
import type { CostContext } from '../context.ts'
import { findScopes, linesBetween, type PnlScopes } from '../pnl/pnl.ts'
import { presentLeftOut, presentSoldLot, symbolsOf } from '../pnl/present-lots.ts'
import { BOM, type Column, empty, figure, headerOf, leftOutLine, linesOf, type Missing, text } from './csv.ts'
import { americanDay, germanDay, isAfterTerm, isLongTerm } from './times.ts'

type Query = RequestOf<(typeof endpoints)['exportGains']>['query']

/** Throws HISTORY_INCOMPLETE unless `partial` allows omissions. */
export async function checkGains(
  costContext: CostContext,
  accountId: string,
  { addresses, partial }: { addresses: readonly Address[]; partial: boolean },
): Promise<void> {
  if (partial) return
  const missing = missingOf(await findScopes(costContext, accountId, addresses))
  if (missing.length === 0) return
  const names = missing.map(({ wallet, chain }) => (chain ? `${wallet} on ${chain}` : wallet)).join(', ')
  throw new Failure(
    'HISTORY_INCOMPLETE',
    `The history of ${names} is incomplete: call POST /v1/sync-transactions, or add partial=true to exclude it`,
  )
}

export async function openGains(costContext: CostContext, accountId: string, query: Query): Promise<FileAnswer> {
  const { format, from, to } = query
  const found = await findScopes(costContext, accountId, query.addresses, query.method)
  const name = `gains-${format.toLowerCase().replaceAll('_', '-')}-${from}-${to}`
  const isComplete = missingOf(found).length === 0
  const pages = gainPages(costContext, accountId, query, found)
  return format === 'JSONL'
    ? { type: 'application/x-ndjson', name: `${name}.jsonl`, parts: jsonLines(pages, query, found), isComplete }
    : { type: 'text/csv', name: `${name}.csv`, parts: csv(pages, format, found), isComplete }
}

type Pages = AsyncGenerator<GainLine[], void, undefined>

async function* gainPages(costContext: CostContext, accountId: string, query: Query, found: PnlScopes): Pages {
  const span = { from: startOfDay(query.from), to: startOfDay(query.to) }
  for await (const sold of linesBetween(costContext, { accountId, waits: true }, found, span, soldLots)) {
    if (sold.length === 0) continue
    const symbolOf = await symbolsOf(sold, costContext.findTokens)
    yield sold.map((lot) => ({ lot, shown: presentSoldLot(lot), symbol: symbolOf(lot) }))
  }
  const { version } = await findScopes(costContext, accountId, query.addresses, query.method)
  if (version !== found.version) throw new Error('a history changed while its gains were read')
}

async function* csv(pages: Pages, format: Exclude<GainFormat, 'JSONL'>, found: PnlScopes) {
  const columns = gainColumns[format]
  const leftOut = missingOf(found).map((missing) => leftOutLine(columns, missing))
  yield (format === 'COFFER' ? BOM : '') + headerOf(columns) + leftOut.join('')
  for await (const lines of pages) yield linesOf(columns, lines)
}

async function* jsonLines(pages: Pages, { method, from, to }: Query, found: PnlScopes) {
  let rows = 0
  for await (const lines of pages) {
    rows += lines.length
    yield lines.map(({ shown, symbol }) => `${JSON.stringify({ ...shown, symbol })}\n`).join('')
  }
  const about = { currency: 'USD', method, from, to, ...presentLeftOut(found) }
  yield `${JSON.stringify({ complete: true, rows, ...about })}\n`
}

const missingOf = ({ withoutHistory, leftOut }: PnlScopes): Missing[] => [
  ...withoutHistory.map((wallet) => ({ wallet, reason: 'no-history' as const })),
  ...leftOut,
]

type GainLine = { lot: SoldLot; shown: ReturnType<typeof presentSoldLot>; symbol: string }

const UNKNOWN = 'N/A'

const own: readonly Column<GainLine>[] = [
  text('wallet', ({ shown }) => shown.wallet),
  text('chain', ({ lot }) => lot.chain),
  text('contract', ({ shown }) => shown.contract),
  figure('token_id', ({ shown }) => shown.tokenId ?? ''),
  text('symbol', ({ symbol }) => symbol),
  figure('quantity', ({ shown }) => shown.quantity),
  text('acquired', ({ shown }) => shown.acquired?.at ?? UNKNOWN),
  text('acquired_transaction', ({ shown }) => shown.acquired?.transaction ?? ''),
  text('sold', ({ shown }) => shown.disposed.at),
  text('sold_transaction', ({ shown }) => shown.disposed.transaction ?? ''),
  figure('days_held', ({ shown }) => (shown.daysHeld === null ? UNKNOWN : String(shown.daysHeld))),
  figure('proceeds_usd', ({ shown }) => shown.proceeds),
  figure('cost_usd', ({ shown }) => shown.cost),
  figure('gain_usd', ({ shown }) => shown.gain),
  text('missing', ({ shown }) => shown.missing.join(' ')),
]

const nameOf = ({ shown, symbol }: GainLine) =>
  `${shown.quantity} ${symbol || shown.contract}${shown.tokenId === null ? '' : ` #${shown.tokenId}`}`

const termOf = ({ acquired, disposed }: SoldLot, isOver: typeof isLongTerm, over: string, under: string) => {
  if (!acquired) return UNKNOWN
  return isOver(acquired.time, disposed.time) ? over : under
}

/** Rounding and adjustments are left to the filer. */
const form8949: readonly Column<GainLine>[] = [
  text('(a) Description of property', nameOf),
  text('(b) Date acquired', ({ lot }) => (lot.acquired ? americanDay(lot.acquired.time) : UNKNOWN)),
  text('(c) Date sold or disposed of', ({ lot }) => americanDay(lot.disposed.time)),
  figure('(d) Proceeds', ({ shown }) => shown.proceeds),
  figure('(e) Cost or other basis', ({ shown }) => shown.cost),
  empty('(f) Code(s)'),
  empty('(g) Amount of adjustment'),
  figure('(h) Gain or (loss)', ({ shown }) => shown.gain),
  text('Term', ({ lot }) => termOf(lot, isLongTerm, 'long', 'short')),
  ...own.filter(({ name }) => ['wallet', 'chain', 'contract', 'sold_transaction', 'missing'].includes(name)),
]

/** Section 23 of the German income tax act. In USD: past euro rates are not stored. */
const germany: readonly Column<GainLine>[] = [
  text('Wirtschaftsgut', ({ symbol, shown }) => symbol || shown.contract),
  figure('Menge', ({ shown }) => shown.quantity),
  text('Anschaffung', ({ lot }) => (lot.acquired ? germanDay(lot.acquired.time) : UNKNOWN)),
  text('Veräußerung', ({ lot }) => germanDay(lot.disposed.time)),
  figure('Haltedauer in Tagen', ({ shown }) => (shown.daysHeld === null ? UNKNOWN : String(shown.daysHeld))),
  text('Haltefrist von einem Jahr abgelaufen', ({ lot }) => termOf(lot, isAfterTerm, 'ja', 'nein')),
  figure('Veräußerungspreis USD', ({ shown }) => shown.proceeds),
  figure('Anschaffungskosten USD', ({ shown }) => shown.cost),
  figure('Gewinn oder Verlust USD', ({ shown }) => shown.gain),
  text('Wallet', ({ shown }) => shown.wallet),
  text('Chain', ({ lot }) => lot.chain),
  text('Transaktion', ({ shown }) => shown.disposed.transaction ?? ''),
  text('Fehlend', ({ shown }) => shown.missing.join(' ')),
]

const gainColumns: Readonly<Record<Exclude<GainFormat, 'JSONL'>, readonly Column<GainLine>[]>> = {
  COFFER: own,
  FORM_8949: form8949,
  GERMANY: germany,
}
