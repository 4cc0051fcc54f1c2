import { type Column, figure, text } from '../csv.ts'
import type { ImportRow, RowKind, RowPart } from '../import-rows.ts'

type ChainTypeNames = Readonly<Record<RowKind, string>>

type Side = 'sent' | 'received' | 'fee'

/** Empty if the line lacks the side. */
export const amount = (name: string, side: Side): Column<ImportRow> => figure(name, (row) => row[side]?.amount ?? '')
export const asset = (name: string, side: Side): Column<ImportRow> => text(name, (row) => row[side]?.asset ?? '')
export const kind = (name: string, names: ChainTypeNames): Column<ImportRow> => text(name, (row) => names[row.kind])
export const time = (name: string, spell: (time: number) => string): Column<ImportRow> =>
  text(name, (row) => spell(row.time))
export const hash = (name: string): Column<ImportRow> => text(name, (row) => row.hash)
/** Equal for lines that belong together. */
export const group = (name: string): Column<ImportRow> => text(name, (row) => row.group)
export const note = (name: string): Column<ImportRow> => text(name, (row) => row.note)
export const account = (name: string): Column<ImportRow> => text(name, accountOf)
export const accountOf = ({ chain, wallet }: Pick<ImportRow, 'chain' | 'wallet'>): string => `${chain}:${wallet}`

export const worthOf = ({ sent, received }: { sent: RowPart | null; received: RowPart | null }): string | null =>
  received?.worth ?? sent?.worth ?? null

export type ImportFormat = {
  columns: readonly Column<ImportRow>[]
  split?(row: ImportRow): ImportRow[]
}
