import { Address } from '../../components/address.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Change, Moment, Money } from '../../components/figures.tsx'
import { gapTexts } from '../../components/gaps.tsx'
import { MissingMark, StaleMark } from '../../components/states.tsx'
import { Why } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { isKnown } from '../../lib/money.ts'
import { fromUnixMillis } from '../../lib/time.ts'
import { missingByReason, type Portfolio } from './cost-lines.ts'
import { REASONS } from './reasons.ts'

type NameOf = (address: string) => string | undefined
type TotalsTableProps = { portfolios: readonly Portfolio[]; nameOf: NameOf }

/** Totals of each wallet; nothing is summed over wallets. */
export function TotalsTable({ portfolios, nameOf }: TotalsTableProps) {
  return (
    <DataTable
      name={t('Profit and loss by wallet')}
      rows={portfolios}
      columns={columnsOf(nameOf)}
      rowKey={({ address }) => address}
    />
  )
}

type Figure = 'totalCostBasis' | 'openPnl' | 'closedPnl' | 'dailyIncome' | 'dailyExpense' | 'feesFiat'

const columnsOf = (nameOf: NameOf): Column<Portfolio>[] => [
  {
    id: 'wallet',
    header: t('Wallet'),
    cell: ({ address }) => {
      const label = nameOf(address)
      return <Address address={address} {...(label && { label })} />
    },
  },
  money('networth', t('Net worth')),
  money('totalCostBasis', t('Cost basis')),
  change('openPnl', t('Unrealised PnL')),
  change('closedPnl', t('Realised PnL')),
  money('dailyIncome', t('Income today')),
  money('dailyExpense', t('Expenses today')),
  money('feesFiat', t('Fees so far')),
  { id: 'state', header: t('State'), cell: (portfolio) => <State portfolio={portfolio} /> },
]

const money = (id: Figure | 'networth', header: string): Column<Portfolio> => ({
  id,
  header,
  end: true,
  sort: 'decimal',
  value: (row) => row[id],
  cell: (row) => (
    <span>
      <Money value={row[id]} />
      <WhyUnknown portfolio={row} value={row[id]} figure={header} />
    </span>
  ),
})

const change = (id: Figure, header: string): Column<Portfolio> => ({
  id,
  header,
  end: true,
  sort: 'decimal',
  value: (row) => row[id],
  cell: (row) => (
    <span>
      <Change value={row[id]} />
      <WhyUnknown portfolio={row} value={row[id]} figure={header} />
    </span>
  ),
})

function WhyUnknown({ portfolio, value, figure }: { portfolio: Portfolio; value: string; figure: string }) {
  const reasons = missingByReason(portfolio).map(([reason, items]) => ({
    label: REASONS[reason].name(),
    value: items.length === 1 && items[0]?.contract === undefined ? REASONS[reason].what() : String(items.length),
  }))
  return isKnown(value) || reasons.length === 0 ? null : <Why figure={figure} reasons={reasons} />
}

function State({ portfolio }: { portfolio: Portfolio }) {
  const updated = fromUnixMillis(portfolio.lastUpdated)
  const isStale = portfolio.incomplete.some(({ reason }) => reason === 'stale')
  const missing = gapTexts(portfolio)
  return (
    <span className="inline-flex items-center gap-1.5 text-[0.8125rem] text-muted">
      {isStale && <StaleMark />}
      {missing.length > 0 && <MissingMark title={missing.join('\n')} />}
      {updated !== null && <Moment relative at={updated} />}
    </span>
  )
}
