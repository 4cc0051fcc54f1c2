import { useV1 } from '../../api/queries.ts'
import type { V1Answer } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment, Money, Price } from '../../components/figures.tsx'
import { Gaps } from '../../components/gaps.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Why } from '../../components/why.tsx'
import { HeldAmount, Worth } from '../../components/worth.tsx'
import { amountOf, priceOf, symbolOf, worthOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { fromUnixMillis } from '../../lib/time.ts'
import type { VirtualUser } from './users.ts'

type Portfolio = V1Answer<'GET', '/v1/virtual-users/portfolio'>[number]
type Asset = Portfolio['assetByProtocols'][string]['assets'][number]
type Held = { key: string; place: string; asset: Asset }

export function HoldingsCard({ user }: { user: VirtualUser }) {
  const portfolios = useV1('/v1/virtual-users/portfolio', {
    query: { addresses: user.address, includeFlatAssets: true },
  })
  return (
    <Card
      title={t('Holdings')}
      aside={
        <Button size="sm" busy={portfolios.isFetching} onClick={() => void portfolios.refetch()}>
          {t('Read again')}
        </Button>
      }
    >
      <QueryView query={portfolios}>
        {(answer) => answer.map((one) => <Holdings key={one.address} portfolio={one} />)}
      </QueryView>
    </Card>
  )
}

function Holdings({ portfolio }: { portfolio: Portfolio }) {
  const held = Object.entries(portfolio.assetByProtocols).flatMap(([protocol, { name, assets }]) =>
    assets.map((asset, at): Held => ({ key: `${protocol} ${at}`, place: name, asset })),
  )
  const read = fromUnixMillis(portfolio.lastUpdated)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Money value={portfolio.networth} className="text-2xl font-semibold" />
        {read !== null && (
          <span className="text-xs text-muted">
            {t('As of')} <Moment at={read} />
          </span>
        )}
      </p>
      <Gaps holdings={[portfolio]} nameOf={() => ''} />
      {held.length > 0 && (
        <DataTable
          name={t('Holdings')}
          rows={held}
          columns={columns()}
          rowKey={({ key }) => key}
          sortBy={{ id: 'value', desc: true }}
        />
      )}
    </div>
  )
}

const columns = (): Column<Held>[] => [
  {
    id: 'asset',
    header: t('Token'),
    value: ({ asset }) => symbolOf(asset),
    cell: ({ asset }) => (
      <span className="grid">
        <span className="font-medium">{symbolOf(asset)}</span>
        <span className="text-xs text-muted">{asset.displayName}</span>
      </span>
    ),
  },
  { id: 'place', header: t('Where'), value: ({ place }) => place, cell: ({ place }) => place },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    value: ({ asset }) => amountOf(asset),
    sort: 'decimal',
    cell: ({ asset }) => <HeldAmount asset={asset} />,
  },
  {
    id: 'price',
    header: t('Price'),
    end: true,
    value: ({ asset }) => priceOf(asset),
    sort: 'decimal',
    cell: ({ asset }) => <Price value={priceOf(asset)} />,
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    value: ({ asset }) => worthOf(asset),
    sort: 'decimal',
    cell: ({ asset }) => (
      <>
        <Worth asset={asset} />
        <Why
          figure={t('Value')}
          reasons={[
            { label: t('Amount'), value: <Amount value={asset.balance} symbol={symbolOf(asset)} /> },
            { label: t('Price'), value: <Price value={priceOf(asset)} /> },
            { label: t('Source of the price'), value: asset.priceSource ?? 'N/A' },
            { label: t('Contract'), value: asset.contract || 'N/A' },
          ]}
        />
      </>
    ),
  },
]
