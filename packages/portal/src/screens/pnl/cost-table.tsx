import { useMemo } from 'react'
import { Address, shortAddress } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Change, Money } from '../../components/figures.tsx'
import { Why } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { isKnown } from '../../lib/money.ts'
import type { CostLine } from './cost-lines.ts'
import { REASONS } from './reasons.ts'

/** Names a line's wallet; null if there is only one. */
type NameOf = ((address: string) => string | undefined) | null
type CostTableProps = { lines: readonly CostLine[]; nameOf: NameOf }

/** The dearest first. */
export function CostTable({ lines, nameOf }: CostTableProps) {
  const columns = useMemo(() => [...facts(), ...(nameOf ? [walletColumn(nameOf)] : [])], [nameOf])
  return (
    <DataTable
      name={t('Cost and unrealised PnL by asset and position')}
      rows={lines}
      columns={columns}
      rowKey={({ key }) => key}
      sortBy={{ id: 'value', desc: true }}
    />
  )
}

const facts = (): Column<CostLine>[] => [
  {
    id: 'name',
    header: t('Asset or position'),
    value: ({ name }) => name,
    cell: ({ name, parts, isDebt }) => (
      <span className="flex flex-wrap items-center gap-x-1.5">
        <span className="font-medium">{name}</span>
        {parts && parts !== name && <span className="text-muted">{parts}</span>}
        {isDebt && <Badge tone="warn">{t('debt')}</Badge>}
      </span>
    ),
  },
  { id: 'protocol', header: t('Where'), value: ({ protocol }) => protocol, cell: ({ protocol }) => protocol },
  { id: 'chain', header: t('Chain'), value: ({ chain }) => chain, cell: ({ chain }) => chain },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    cell: ({ amount }) => (amount === null ? '–' : <Amount value={amount} />),
  },
  figure('value', t('Value'), ({ value }) => <Money value={value} />),
  figure('cost', t('Cost basis'), ({ cost }) => <Money value={cost} />),
  figure('openPnl', t('Unrealised PnL'), (line) => (
    <span>
      <Change value={line.openPnl} />
      <WhyLine line={line} />
    </span>
  )),
]

const figure = (
  id: 'value' | 'cost' | 'openPnl',
  header: string,
  cell: Column<CostLine>['cell'],
): Column<CostLine> => ({
  id,
  header,
  cell,
  end: true,
  sort: 'decimal',
  value: (line) => line[id],
})

const walletColumn = (nameOf: NonNullable<NameOf>): Column<CostLine> => ({
  id: 'wallet',
  header: t('Wallet'),
  value: ({ wallet }) => wallet,
  cell: ({ wallet }) => <span title={wallet}>{nameOf(wallet) ?? shortAddress(wallet)}</span>,
})

function WhyLine({ line }: { line: CostLine }) {
  const { reason, contract, priceSource, cost, openPnl } = line
  const isUnknown = !(isKnown(cost) && isKnown(openPnl))
  const unknown = reason ? REASONS[reason].what() : t('The service gives no reason.')
  return (
    <Why
      figure={t('Unrealised PnL of {name}', { name: line.name })}
      reasons={[
        ...(isUnknown ? [{ label: t('Unknown'), value: unknown }] : []),
        ...(reason ? [{ label: t('Remedy'), value: REASONS[reason].remedy() }] : []),
        { label: t('Value'), value: <span className="break-all">{line.value}</span> },
        { label: t('Cost basis'), value: <span className="break-all">{cost}</span> },
        { label: t('Price from'), value: priceSource ?? '–' },
        ...(contract ? [{ label: t('Contract'), value: <Address address={contract} /> }] : []),
      ]}
    />
  )
}
