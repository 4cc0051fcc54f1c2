import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Change, Money } from '../../components/figures.tsx'
import { MissingMark } from '../../components/states.tsx'
import { Why } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { periodName } from './periods.ts'
import { type CostMethod, METHODS, type PnlPeriod, type PnlUnit } from './use-pnl.ts'

type Sums = PnlPeriod['methods'][number]

/** Spelled out for readers who do not know the abbreviation. */
export const methodNames: Readonly<Record<CostMethod, () => string>> = {
  AVG: () => t('Average cost'),
  FIFO: () => t('FIFO: oldest first'),
  LIFO: () => t('LIFO: newest first'),
  HIFO: () => t('HIFO: highest cost first'),
}

const titleOf = (method: CostMethod): string => (method === 'AVG' ? t('Average') : method)

type PeriodTableProps = {
  periods: readonly PnlPeriod[]
  unit: PnlUnit
  accountMethod: CostMethod
  /** First day of the period whose lots are shown. */
  chosen: string
  onChoose: (from: string) => void
}

/** Sales in each period by every method; earnings and expenses by the account's own method. */
export function PeriodTable({ periods, unit, accountMethod, chosen, onChoose }: PeriodTableProps) {
  const columns = useMemo<Column<PnlPeriod>[]>(() => {
    const ofOwn = (period: PnlPeriod) => sumsBy(period, accountMethod)
    return [
      {
        id: 'period',
        header: t('Period'),
        cell: (period) => <span className="font-medium">{periodName(period, unit)}</span>,
      },
      ...METHODS.map((method) => realisedBy(method, unit, accountMethod)),
      { id: 'income', header: t('Income'), end: true, cell: (period) => <MoneyOf value={ofOwn(period)?.income} /> },
      { id: 'fees', header: t('Fees'), end: true, cell: (period) => <MoneyOf value={ofOwn(period)?.fees} /> },
      {
        id: 'lots',
        header: t('Lots'),
        cell: (period) => (
          <Button
            size="sm"
            aria-pressed={period.from === chosen}
            aria-label={t('Lots of {period}', { period: periodName(period, unit) })}
            look={period.from === chosen ? 'primary' : 'secondary'}
            onClick={() => onChoose(period.from)}
          >
            {t('Lots')}
          </Button>
        ),
      },
    ]
  }, [unit, accountMethod, chosen, onChoose])
  return (
    <DataTable
      name={t('Realised PnL by period and method')}
      rows={periods}
      columns={columns}
      rowKey={({ from }) => from}
    />
  )
}

const sumsBy = ({ methods }: PnlPeriod, method: CostMethod): Sums | undefined =>
  methods.find((sums) => sums.method === method)

const MoneyOf = ({ value }: { value: string | undefined }) => <Money value={value ?? 'N/A'} />

function realisedBy(method: CostMethod, unit: PnlUnit, accountMethod: CostMethod): Column<PnlPeriod> {
  const title = titleOf(method)
  return {
    id: method,
    header: method === accountMethod ? t('{method} (the account’s)', { method: title }) : title,
    end: true,
    cell: (period) => {
      const sums = sumsBy(period, method)
      return (
        <span>
          {sums && sums.unknownSales > 0 && (
            <MissingMark
              title={t('{n, plural, one {# sale is} other {# sales are}} not included', { n: sums.unknownSales })}
            />
          )}{' '}
          <Change value={sums?.realised ?? 'N/A'} />
          {sums && <WhySums figure={`${periodName(period, unit)}, ${title}`} sums={sums} />}
        </span>
      )
    },
  }
}

function WhySums({ figure, sums }: { figure: string; sums: Sums }) {
  return (
    <Why
      figure={figure}
      reasons={[
        { label: t('Sales included'), value: formatCount(sums.sales) },
        { label: t('Sales not included'), value: formatCount(sums.unknownSales) },
        { label: t('Income'), value: <Money value={sums.income} /> },
        { label: t('Expenses'), value: <Money value={sums.expense} /> },
        { label: t('Fees'), value: <Money value={sums.fees} /> },
        { label: t('Fees without a price'), value: formatCount(sums.unpricedFees) },
      ]}
    />
  )
}
