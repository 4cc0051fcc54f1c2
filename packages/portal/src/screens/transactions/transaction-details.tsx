import type { ReactNode } from 'react'
import { Address } from '../../components/address.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FactLine } from '../../components/fact.tsx'
import { Amount, Change, Money, Price } from '../../components/figures.tsx'
import { priceOf, worthOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { isKnown } from '../../lib/money.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import { pnlGapText } from './pnl-gap-text.ts'
import { symbolOf } from './sentence.ts'
import {
  type Asset,
  counterpartiesOf,
  feeWorthOf,
  isFeeKnown,
  isInBaseUnits,
  movementsOf,
  pnlGap,
  type Sync,
  type Transaction,
} from './transaction.ts'

type TransactionDetailsProps = { transaction: Transaction; syncs: readonly Sync[] }

export function TransactionDetails({ transaction: one, syncs }: TransactionDetailsProps) {
  const moved = movementsOf(one)
  const gap = pnlGap(one, syncs)
  const others = counterpartiesOf(one)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line bg-sunken/40 px-3 py-3 md:ps-9">
      <dl className="grid gap-x-6 [--fact-name:7rem] gap-y-1.5 text-sm sm:grid-cols-2">
        <FactLine isWide name={t('Transaction')}>
          <code className="font-mono text-[0.8125rem] break-all">{one.hash}</code>
          <CopyButton compact text={one.hash} name={t('hash')} />
        </FactLine>
        <FactLine name={t('Block')}>
          {t('{block} of {chain}', { block: one.blockNumber, chain: one.chain.name })}
        </FactLine>
        <FactLine name={t('Block time')}>{fromUnixSeconds(one.timestamp)?.toISOString() ?? 'N/A'}</FactLine>
        <FactLine name={t('Called')}>{one.functionName || t('no named function')}</FactLine>
        <FactLine name={t('Wallet')}>
          <Address address={one.address} />
        </FactLine>
        <FactLine name={t('Counterparties')}>
          {others.length === 0 ? t('none') : others.map((address) => <Address key={address} address={address} />)}
        </FactLine>
        <FactLine name={t('Fee')}>
          <Amount value={one.nativeAssetFees.balance} symbol={symbolOf(one.nativeAssetFees)} />
          <span className="text-muted">
            <Money value={feeWorthOf(one)} />
          </span>
          {!isFeeKnown(one) && <Because>{t('The coin has no price for that time.')}</Because>}
        </FactLine>
        <FactLine name={t('Realised PnL')}>
          <Change value={one.closedPnl} />
          {gap && <Because>{pnlGapText(gap)}</Because>}
        </FactLine>
      </dl>
      {moved.length > 0 ? (
        <DataTable
          name={t('Movements')}
          rows={moved.map((asset, place) => ({ asset, place }))}
          columns={columns()}
          rowKey={({ place }) => String(place)}
        />
      ) : (
        <p className="text-sm text-muted">{t('Only the fee moved.')}</p>
      )}
    </div>
  )
}

const Because = ({ children }: { children: ReactNode }) => (
  <span className="basis-full text-[0.8125rem] text-muted">{children}</span>
)

type Row = { asset: Asset; place: number }

const columns = (): Column<Row>[] => [
  {
    id: 'amount',
    header: t('Moved'),
    cell: ({ asset }) => (
      <span className="flex flex-wrap items-center gap-x-1.5">
        <span className="text-muted">{asset.isAssetIn ? t('in') : t('out')}</span>
        <Amount value={asset.balance} symbol={symbolOf(asset)} />
        {asset.nft && <span>#{asset.nft.tokenId}</span>}
        {isInBaseUnits(asset) && <span className="text-muted">{t('in base units')}</span>}
      </span>
    ),
  },
  {
    id: 'price',
    header: t('Price'),
    end: true,
    cell: ({ asset }) => (
      <span
        title={asset.priceSource ? t('from {source}', { source: asset.priceSource }) : t('No price for that time.')}
      >
        <Price value={priceOf(asset)} /> {asset.priceSource && <span className="text-muted">{asset.priceSource}</span>}
      </span>
    ),
  },
  { id: 'value', header: t('Value'), end: true, cell: ({ asset }) => <Money value={worthOf(asset)} /> },
  {
    id: 'cost',
    header: t('Cost basis'),
    end: true,
    cell: ({ asset }) => <Known value={asset.costBasis} figure={<Money value={asset.costBasis} />} />,
  },
  {
    id: 'pnl',
    header: t('Realised PnL'),
    end: true,
    cell: ({ asset }) => <Known value={asset.closedPnl} figure={<Change value={asset.closedPnl} />} />,
  },
  {
    id: 'other',
    header: t('From or to'),
    cell: ({ asset }) => <Other address={asset.isAssetIn ? asset.from : asset.to} />,
  },
  { id: 'contract', header: t('Contract'), cell: ({ asset }) => <Address address={asset.contract} /> },
]

const Other = ({ address }: { address: string }) => (address === '' ? t('unknown') : <Address address={address} />)

const Known = ({ value, figure }: { value: string; figure: ReactNode }) =>
  isKnown(value) ? figure : <span title={t('A price or an earlier cost is unknown.')}>{figure}</span>
