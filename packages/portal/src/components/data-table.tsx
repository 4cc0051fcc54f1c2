import {
  constructSortFn,
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef } from 'react'
import { compareOrdered, type Ordered, toOrdered } from '../lib/pixels.ts'

/** More rows than this are drawn as they are scrolled to. */
const VIRTUAL_ABOVE = 200
const ROW_HEIGHT = 38
const OVERSCAN = 12

/** A column of rows; one with `value` can be sorted by it, as decimals (exactly) or as text. */
export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  value?: (row: Row) => string
  sort?: 'text' | 'decimal'
  /** Figures stand at the end. */
  end?: boolean
}

type DataTableProps<Row> = {
  /** What is in the table, for those who do not see it. */
  name: string
  rows: readonly Row[]
  /** Made once: outside the component or by useMemo. */
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  sortBy?: { id: string; desc: boolean }
}

/** Of texts that were lower-cased once, not in each comparison. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const textSort = constructSortFn({ sort: compareTexts })
const decimalSort = constructSortFn({ sort: (a: Ordered, b: Ordered) => compareOrdered(a, b) })

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: textSort, decimal: decimalSort },
})

/**
 * A table that sorts by its headers and scrolls sideways where the window is narrow. The first column names its row. Long
 * ones scroll in a box of their own and draw only what is in sight.
 */
export function DataTable<Row extends object>({ name, rows, columns, rowKey, sortBy }: DataTableProps<Row>) {
  const box = useRef<HTMLElement>(null)
  const defined = useMemo(() => defineColumns(columns), [columns])
  const table = useTable({
    features,
    columns: defined,
    data: rows as Row[],
    getRowId: rowKey,
    initialState: { sorting: sortBy ? [sortBy] : [] },
  })
  const sorted = table.getRowModel().rows
  const isLong = sorted.length > VIRTUAL_ABOVE
  const virtual = useVirtualizer({
    count: isLong ? sorted.length : 0,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  })
  const items = virtual.getVirtualItems()
  const shown = isLong ? items.flatMap((item) => sorted[item.index] ?? []) : sorted
  const first = items[0]?.index ?? 0
  const before = items[0]?.start ?? 0
  const after = isLong ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  return (
    <section
      ref={box}
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard.
      tabIndex={0}
      className={`relative max-w-full overflow-auto rounded-lg border border-line bg-surface ${isLong ? 'max-h-[70dvh]' : ''}`}
    >
      <table aria-rowcount={isLong ? sorted.length + 1 : undefined} className="w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-surface">
          <tr aria-rowindex={isLong ? 1 : undefined}>
            {table.getFlatHeaders().map((header, index) => (
              <Header
                key={header.id}
                text={columns[index]?.header ?? ''}
                end={columns[index]?.end ?? false}
                sorted={header.column.getIsSorted()}
                onSort={header.column.getCanSort() ? () => header.column.toggleSorting() : null}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={before} columns={columns.length} />
          {shown.map((row, index) => (
            <tr
              key={row.id}
              aria-rowindex={isLong ? first + index + 2 : undefined}
              className="border-t border-line hover:bg-sunken/60"
            >
              {columns.map((column, place) => (
                <Cell key={column.id} isFirst={place === 0} end={column.end ?? false}>
                  {column.cell(row.original)}
                </Cell>
              ))}
            </tr>
          ))}
          <Space height={after} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}

function defineColumns<Row extends object>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, Row>()
  return helper.columns(
    columns.map(({ id, header, value, sort = 'text' }) => {
      if (!value) return helper.display({ id, header, enableSorting: false })
      if (sort === 'text') return helper.accessor((row) => value(row).toLowerCase(), { id, header, sortFn: sort })
      return helper.accessor((row) => toOrdered(value(row)), { id, header, sortFn: sort, sortDescFirst: true })
    }),
  )
}

const directions = { asc: 'ascending', desc: 'descending' } as const

type HeaderProps = { text: string; end: boolean; sorted: false | 'asc' | 'desc'; onSort: (() => void) | null }

function Header({ text, end, sorted, onSort }: HeaderProps) {
  const place = end ? 'text-end' : 'text-start'
  return (
    <th
      scope="col"
      aria-sort={sorted ? directions[sorted] : undefined}
      className={`px-3 py-2 text-xs font-medium whitespace-nowrap text-muted ${place}`}
    >
      {onSort ? (
        <button type="button" onClick={onSort} className="inline-flex items-center gap-1 rounded hover:text-ink">
          {text}
          <span aria-hidden className="w-2 text-[0.6rem]">
            {sorted && (sorted === 'asc' ? '▲' : '▼')}
          </span>
        </button>
      ) : (
        text
      )}
    </th>
  )
}

function Cell({ isFirst, end, children }: { isFirst: boolean; end: boolean; children: ReactNode }) {
  const Tag = isFirst ? 'th' : 'td'
  return (
    <Tag
      scope={isFirst ? 'row' : undefined}
      className={`px-3 py-1.5 align-middle font-normal ${end ? 'text-end' : 'text-start'} ${isFirst ? 'min-w-36' : 'whitespace-nowrap'}`}
    >
      {children}
    </Tag>
  )
}

/** Stands for the rows that are out of sight. */
function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}
