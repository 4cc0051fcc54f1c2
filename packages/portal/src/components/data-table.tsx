import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { type SortKey, sortRows } from './sort-rows.ts'

/** Longer tables draw rows as they scroll into view. */
const VIRTUAL_ABOVE = 200
const ROW_HEIGHT = 38
const OVERSCAN = 12

/** A column with `value` is sortable. */
export type Column<Row> = Partial<SortKey<Row>> & {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Aligned at the end, for figures. */
  end?: boolean
}

type Sorting = { id: string; desc: boolean }

type DataTableProps<Row> = {
  /** Table name for screen readers. */
  name: string
  rows: readonly Row[]
  /** Must be stable: created outside the component or by useMemo. */
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  sortBy?: Sorting
}

/**
 * Sorts by its headers and scrolls sideways in narrow windows. The first column names its row. Long tables scroll in
 * their own box and draw only rows in view.
 */
export function DataTable<Row extends object>({ name, rows, columns, rowKey, sortBy }: DataTableProps<Row>) {
  const box = useRef<HTMLElement>(null)
  const [sorting, setSorting] = useState<Sorting | null>(sortBy ?? null)
  const sorted = useMemo(() => {
    const column = columns.find(({ id }) => id === sorting?.id)
    return sorting && hasValue(column) ? sortRows(rows, column, sorting.desc) : rows
  }, [rows, columns, sorting])
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
            {columns.map((column) => (
              <Header
                key={column.id}
                text={column.header}
                end={column.end ?? false}
                sorted={sorting?.id === column.id ? sorting : null}
                onSort={hasValue(column) ? () => setSorting(afterPress(column, sorting)) : null}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={before} columns={columns.length} />
          {shown.map((row, index) => (
            <tr
              key={rowKey(row)}
              aria-rowindex={isLong ? first + index + 2 : undefined}
              className="border-t border-line hover:bg-sunken/60"
            >
              {columns.map((column, place) => (
                <Cell key={column.id} isFirst={place === 0} end={column.end ?? false}>
                  {column.cell(row)}
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

const hasValue = <Row,>(column: Column<Row> | undefined): column is Column<Row> & SortKey<Row> =>
  column?.value !== undefined

/** The first press sorts (figures descending, texts from A), the second reverses, the third removes the sorting. */
function afterPress<Row>({ id, sort }: Column<Row>, sorting: Sorting | null): Sorting | null {
  const first = { id, desc: sort === 'decimal' }
  if (sorting?.id !== id) return first
  return sorting.desc === first.desc ? { id, desc: !first.desc } : null
}

const directions = { true: 'descending', false: 'ascending' } as const

type HeaderProps = { text: string; end: boolean; sorted: Sorting | null; onSort: (() => void) | null }

function Header({ text, end, sorted, onSort }: HeaderProps) {
  const place = end ? 'text-end' : 'text-start'
  return (
    <th
      scope="col"
      aria-sort={sorted ? directions[`${sorted.desc}`] : undefined}
      className={`px-3 py-2 text-xs font-medium whitespace-nowrap text-muted ${place}`}
    >
      {onSort ? (
        <button type="button" onClick={onSort} className="inline-flex items-center gap-1 rounded hover:text-ink">
          {text}
          <span aria-hidden className="w-2 text-[0.6rem]">
            {sorted && (sorted.desc ? '▼' : '▲')}
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

/** Placeholder for rows out of view. */
function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}
