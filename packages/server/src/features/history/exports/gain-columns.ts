import type { GainFormat } from '@coffer/contract'
import type { SoldLot } from '../../../domain/accounting/lot-lines.ts'
import type { presentSoldLot } from '../pnl/present-lots.ts'
import { type Column, empty, figure, text } from './csv.ts'
import { americanDay, germanDay, isAfterTerm, isLongTerm } from './times.ts'

export type GainLine = { lot: SoldLot; shown: ReturnType<typeof presentSoldLot>; symbol: string }

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

const termOf = ({ acquired, disposed }: SoldLot) => {
  if (!acquired) return UNKNOWN
  return isLongTerm(acquired.time, disposed.time) ? 'long' : 'short'
}

/** Columns (a) to (h) of Form 8949. Rounding and adjustments are left to the filer. */
const form8949: readonly Column<GainLine>[] = [
  text('(a) Description of property', nameOf),
  text('(b) Date acquired', ({ lot }) => (lot.acquired ? americanDay(lot.acquired.time) : UNKNOWN)),
  text('(c) Date sold or disposed of', ({ lot }) => americanDay(lot.disposed.time)),
  figure('(d) Proceeds', ({ shown }) => shown.proceeds),
  figure('(e) Cost or other basis', ({ shown }) => shown.cost),
  ...[empty<GainLine>('(f) Code(s)'), empty<GainLine>('(g) Amount of adjustment')],
  figure('(h) Gain or (loss)', ({ shown }) => shown.gain),
  text('Term', ({ lot }) => termOf(lot)),
  ...own.filter(({ name }) => ['wallet', 'chain', 'contract', 'sold_transaction', 'missing'].includes(name)),
]

const germanTermOf = ({ acquired, disposed }: SoldLot) => {
  if (!acquired) return UNKNOWN
  return isAfterTerm(acquired.time, disposed.time) ? 'ja' : 'nein'
}

/** Section 23 of the German income tax act. In USD: past euro rates are not stored. */
const germany: readonly Column<GainLine>[] = [
  text('Wirtschaftsgut', ({ symbol, shown }) => symbol || shown.contract),
  figure('Menge', ({ shown }) => shown.quantity),
  text('Anschaffung', ({ lot }) => (lot.acquired ? germanDay(lot.acquired.time) : UNKNOWN)),
  text('Veräußerung', ({ lot }) => germanDay(lot.disposed.time)),
  figure('Haltedauer in Tagen', ({ shown }) => (shown.daysHeld === null ? UNKNOWN : String(shown.daysHeld))),
  text('Haltefrist von einem Jahr abgelaufen', ({ lot }) => germanTermOf(lot)),
  figure('Veräußerungspreis USD', ({ shown }) => shown.proceeds),
  figure('Anschaffungskosten USD', ({ shown }) => shown.cost),
  figure('Gewinn oder Verlust USD', ({ shown }) => shown.gain),
  text('Wallet', ({ shown }) => shown.wallet),
  text('Chain', ({ lot }) => lot.chain),
  text('Transaktion', ({ shown }) => shown.disposed.transaction ?? ''),
  text('Fehlend', ({ shown }) => shown.missing.join(' ')),
]

export const gainColumns: Readonly<Record<Exclude<GainFormat, 'JSONL'>, readonly Column<GainLine>[]>> = {
  COFFER: own,
  FORM_8949: form8949,
  GERMANY: germany,
}
