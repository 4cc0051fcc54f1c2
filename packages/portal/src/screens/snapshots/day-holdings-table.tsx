import { useMemo } from 'react'
import { shortAddress } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Price } from '../../components/figures.tsx'
import { EmptyState } from '../../components/states.tsx'
import { HeldAmount, Worth } from '../../components/worth.tsx'
import { t } from '../../lib/i18n.ts'
import type { Holding } from './holdings.ts'

/** Names a line's wallet; null if there is only one. */
type NameOf = ((address: string) => string | undefined) | null

export function HoldingsTable({ holdings, nameOf }: { holdings: readonly Holding[]; nameOf: NameOf }) {
  const columns = useMemo(() => [...facts(), ...(nameOf ? [walletColumn(nameOf)] : [])], [nameOf])
  if (holdings.length === 0) return <EmptyState title={t('No holdings')} />
  return (
    <DataTable
      name={t('Holdings of the day')}
      rows={holdings}
      columns={columns}
      rowKey={({ key }) => key}
      sortBy={{ id: 'value', desc: true }}
    />
  )
}

const facts = (): Column<Holding>[] => [
  {
    id: 'asset',
    header: t('Asset'),
    value: ({ symbol }) => symbol,
    cell: ({ symbol, asset }) => (
      <span className="flex flex-wrap items-center gap-x-1.5">
        <span className="font-medium">{symbol}</span>
        <span className="max-w-48 truncate text-muted">{asset.displayName}</span>
        {asset.side === 'borrow' && <Badge tone="warn">{t('debt')}</Badge>}
      </span>
    ),
  },
  { id: 'protocol', header: t('Where'), value: ({ protocol }) => protocol, cell: ({ protocol }) => protocol },
  { id: 'chain', header: t('Chain'), value: ({ asset }) => asset.chain, cell: ({ asset }) => asset.chain },
  { id: 'amount', header: t('Amount'), end: true, cell: ({ asset }) => <HeldAmount asset={asset} /> },
  {
    id: 'price',
    header: t('Price then'),
    end: true,
    cell: ({ price, asset }) => (
      <span
        title={asset.priceSource ? t('from {source}', { source: asset.priceSource }) : t('No price for that time.')}
      >
        <Price value={price} /> {asset.priceSource && <span className="text-muted">{asset.priceSource}</span>}
      </span>
    ),
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    sort: 'decimal',
    value: ({ value }) => value,
    cell: ({ asset }) => <Worth asset={asset} />,
  },
]

const walletColumn = (nameOf: NonNullable<NameOf>): Column<Holding> => ({
  id: 'wallet',
  header: t('Wallet'),
  value: ({ wallet }) => wallet,
  cell: ({ wallet }) => <span title={wallet}>{nameOf(wallet) ?? shortAddress(wallet)}</span>,
})
