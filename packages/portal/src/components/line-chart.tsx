import { type ReactNode, Suspense, useState } from 'react'
import { t } from '../lib/i18n.ts'
import { lazyPart } from '../lib/parts.ts'
import { formatMoment } from '../lib/time.ts'
import { Button } from './button.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Skeleton } from './states.tsx'

const Canvas = lazyPart(() => import('./line-chart-canvas.tsx'), 'LineChartCanvas')

type Series = {
  label: string
  /** Decimals, one per moment; null interrupts the line. */
  values: readonly (string | null)[]
}

export type LineChartProps = {
  /** E.g. "Net worth in USD". */
  name: string
  moments: readonly Date[]
  series: readonly Series[]
  format: (value: string) => string
  /** Date and time by default. */
  formatAt?: (moment: Date) => string
}

/** Lines over time; a button shows the same values as a table. The drawing loads on demand. */
export function LineChart(props: LineChartProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <figure aria-label={props.name} className="grid gap-2">
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button size="sm" look="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {t('As a table')}
        </Button>
      </div>
      {asTable ? (
        <ValuesTable {...props} />
      ) : (
        <Suspense fallback={<Skeleton lines={6} />}>
          <Canvas {...props} />
        </Suspense>
      )}
    </figure>
  )
}

type Row = { at: Date; values: readonly (string | null)[] }

function ValuesTable({ name, moments, series, format, formatAt = formatMoment }: LineChartProps) {
  const rows = moments.map((at, index) => ({ at, values: series.map(({ values }) => values[index] ?? null) }))
  const columns: Column<Row>[] = [
    { id: 'at', header: t('When'), cell: (row) => formatAt(row.at), value: (row) => row.at.toISOString() },
    ...series.map(({ label }, index) => ({
      id: label,
      header: label,
      end: true,
      cell: (row: Row): ReactNode => valueOr(row.values[index], format),
    })),
  ]
  return <DataTable name={name} rows={rows} columns={columns} rowKey={(row) => row.at.toISOString()} />
}

const valueOr = (value: string | null | undefined, format: (value: string) => string): ReactNode =>
  value ? <data value={value}>{format(value)}</data> : '–'
