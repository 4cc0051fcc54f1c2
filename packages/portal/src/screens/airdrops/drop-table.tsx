import { useMemo } from 'react'
import { Address } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment, Price } from '../../components/figures.tsx'
import { Why } from '../../components/why.tsx'
import { Worth } from '../../components/worth.tsx'
import { priceOf, symbolOf, worthOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import type { Airdrops, Drop } from './drops.ts'

type AsOf = Airdrops['asOf']

export function DropTable({ drops, asOf }: { drops: readonly Drop[]; asOf: AsOf }) {
  const columns = useMemo(() => columnsOf(asOf), [asOf])
  return <DataTable name={t('Airdrops')} rows={drops} columns={columns} rowKey={({ key }) => key} />
}

const columnsOf = (asOf: AsOf): Column<Drop>[] => [
  {
    id: 'drop',
    header: t('Airdrop'),
    value: ({ protocol, name }) => `${protocol} ${name}`,
    cell: ({ protocol, name }) => (
      <span className="grid">
        <span className="font-medium">{protocol}</span>
        <span className="text-xs text-muted">{name}</span>
      </span>
    ),
  },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    value: ({ asset }) => asset.balance,
    sort: 'decimal',
    cell: ({ asset }) => <Amount value={asset.balance} symbol={symbolOf(asset)} />,
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    value: ({ asset }) => worthOf(asset),
    sort: 'decimal',
    cell: (drop) => (
      <>
        <Worth asset={drop.asset} />
        <Why figure={t('Value')} reasons={reasonsOf(drop, asOf)} />
      </>
    ),
  },
  { id: 'claim', header: t('Claimable'), cell: (drop) => <ClaimState drop={drop} /> },
  { id: 'link', header: t('Where to claim'), cell: ({ asset }) => <Place link={asset.link} /> },
]

function ClaimState({ drop: { claim, asset } }: { drop: Drop }) {
  if (claim === 'now') return <Badge tone="good">{t('now')}</Badge>
  const moment = claim === 'later' ? fromUnixSeconds(asset.unlockAt) : null
  return moment ? <Moment at={moment} /> : <span className="text-muted">{t('date unknown')}</span>
}

/** A URL that may be untrusted: text to read and copy, never a link. */
function Place({ link }: { link: string }) {
  if (link === '') return <span className="text-muted">N/A</span>
  return (
    <span className="inline-flex items-center gap-1">
      <span title={link} className="max-w-64 truncate font-mono text-[0.8125rem]">
        {link}
      </span>
      <CopyButton compact text={link} name={t('Where to claim')} />
    </span>
  )
}

function reasonsOf({ asset }: Drop, asOf: AsOf) {
  const read = asOf[asset.chainKey]
  return [
    { label: t('Amount'), value: <Amount value={asset.balance} symbol={symbolOf(asset)} /> },
    { label: t('Price'), value: <Price value={priceOf(asset)} /> },
    { label: t('Source of the price'), value: asset.priceSource ?? 'N/A' },
    { label: t('Token'), value: asset.displayName },
    { label: t('Contract'), value: <Address address={asset.contract} /> },
    ...(read
      ? [
          { label: t('Block'), value: read.block },
          { label: t('Read at'), value: <Moment at={read.timestamp} /> },
        ]
      : []),
  ]
}
