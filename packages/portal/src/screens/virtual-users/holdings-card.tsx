import { useV1 } from '../../api/queries.ts'
import type { V1Answer } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment, Money, Price } from '../../components/figures.tsx'
import { Gaps } from '../../components/gaps.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Why } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { fromUnixMillis } from '../../lib/time.ts'
import type { VirtualUser } from './users.ts'

type Portfolio = V1Answer<'GET', '/v1/virtual-users/portfolio'>[number]
type Asset = Portfolio['assetByProtocols'][string]['assets'][number]
type Held = { key: string; place: string; asset: Asset }

/** What a virtual user holds, as `/v1` tells it. */
export function HoldingsCard({ user }: { user: VirtualUser }) {
  const portfolios = useV1('/v1/virtual-users/portfolio', {
    query: { addresses: user.address, includeFlatAssets: true },
  })
  return (
    <Card
      title={t('What it holds')}
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
          name={t('What it holds')}
          rows={held}
          columns={columns()}
          rowKey={({ key }) => key}
          sortBy={{ id: 'value', desc: true }}
        />
      )}
    </div>
  )
}

/** Without a source the answer has a 0 where no price is known. */
const priceOf = ({ price, priceSource }: Asset): string => (priceSource === null ? 'N/A' : price)

const columns = (): Column<Held>[] => [
  {
    id: 'asset',
    header: t('Token'),
    value: ({ asset }) => asset.symbol,
    cell: ({ asset }) => (
      <span className="grid">
        <span className="font-medium">{asset.symbol}</span>
        <span className="text-xs text-muted">{asset.name}</span>
      </span>
    ),
  },
  { id: 'place', header: t('Where'), value: ({ place }) => place, cell: ({ place }) => place },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    value: ({ asset }) => asset.balance,
    sort: 'decimal',
    cell: ({ asset }) => <Amount value={asset.balance} />,
  },
  {
    id: 'price',
    header: t('Price'),
    end: true,
    value: ({ asset }) => asset.price,
    sort: 'decimal',
    cell: ({ asset }) => <Price value={priceOf(asset)} />,
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    value: ({ asset }) => asset.value,
    sort: 'decimal',
    cell: ({ asset }) => (
      <>
        <Money value={asset.priceSource === null ? 'N/A' : asset.value} />
        <Why
          figure={t('Value')}
          reasons={[
            { label: t('Amount'), value: <Amount value={asset.balance} symbol={asset.symbol} /> },
            { label: t('Price'), value: <Price value={priceOf(asset)} /> },
            { label: t('Source of the price'), value: asset.priceSource ?? 'N/A' },
            { label: t('Contract'), value: asset.contract || 'N/A' },
          ]}
        />
      </>
    ),
  },
]
