import { useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Change, Money, Price } from '../../components/figures.tsx'
import { Checkbox, Input } from '../../components/input.tsx'
import { HeldAmount } from '../../components/worth.tsx'
import { amountOf, isPriced, symbolOf, worthOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { isSmall, matches, type TokenRow } from './rows.ts'
import { WhyAsset } from './why-asset.tsx'

type TokensCardProps = {
  rows: readonly TokenRow[]
  /** True with several addresses: each row names its own. */
  hasSeveral: boolean
  nameOf: (address: string) => string
}

/** Fewer rows are all visible at once. */
const FILTER_FROM = 10

/** Small and unpriced tokens are hidden until requested. */
export function TokensCard({ rows, hasSeveral, nameOf }: TokensCardProps) {
  const [withSmall, setWithSmall] = useState(false)
  const [text, setText] = useState('')
  const small = useMemo(() => rows.filter(isSmall).length, [rows])
  const shown = useMemo(
    () => rows.filter((row) => (withSmall || !isSmall(row)) && matches(row, text)),
    [rows, withSmall, text],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: names come with the rows that they are of.
  const columns = useMemo(() => columnsOf(hasSeveral, nameOf), [hasSeveral, rows])
  if (rows.length === 0) return null
  return (
    <Card
      title={t('Tokens')}
      aside={
        <div className="flex flex-wrap items-center gap-3">
          {small > 0 && (
            <Checkbox
              label={t('Show {n} small or unpriced', { n: small })}
              checked={withSmall}
              onChange={(event) => setWithSmall(event.target.checked)}
            />
          )}
          {rows.length >= FILTER_FROM && (
            <div className="w-44">
              <Input
                type="search"
                aria-label={t('Filter tokens')}
                placeholder={t('Filter tokens')}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            </div>
          )}
        </div>
      }
    >
      {shown.length === 0 ? (
        <p className="text-sm text-muted">
          {text.trim() === '' ? t('All tokens here are small or unpriced.') : t('No token matches.')}
        </p>
      ) : (
        <DataTable
          name={t('Tokens')}
          rows={shown}
          columns={columns}
          rowKey={(row) => row.key}
          sortBy={{ id: 'value', desc: true }}
        />
      )}
    </Card>
  )
}

const columnsOf = (hasSeveral: boolean, nameOf: (address: string) => string): Column<TokenRow>[] => [
  {
    id: 'token',
    header: t('Token'),
    value: ({ asset }) => symbolOf(asset),
    cell: ({ asset }) => <TokenName symbol={symbolOf(asset)} name={asset.displayName} />,
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    sort: 'decimal',
    value: ({ asset }) => worthOf(asset),
    cell: ({ asset, holding }) => (
      <>
        <Money value={worthOf(asset)} {...(asset.side === 'borrow' && { className: 'text-bad' })} />
        <WhyAsset holding={holding} asset={asset} path={[nameOf(holding.address), t('Wallet')]} />
      </>
    ),
  },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    sort: 'decimal',
    value: ({ asset }) => amountOf(asset),
    cell: ({ asset }) => <HeldAmount asset={asset} />,
  },
  {
    id: 'price',
    header: t('Price'),
    end: true,
    sort: 'decimal',
    value: ({ asset }) => asset.price,
    cell: ({ asset }) => (isPriced(asset) ? <Price value={asset.price} /> : <Badge>{t('no price')}</Badge>),
  },
  {
    id: 'gain',
    header: t('Unrealised gain'),
    end: true,
    sort: 'decimal',
    value: ({ asset }) => asset.openPnl,
    cell: ({ asset }) => <Change value={asset.openPnl} />,
  },
  {
    id: 'chain',
    header: t('Chain'),
    value: ({ asset }) => asset.chain,
    cell: ({ asset, holding }) => holding.chains[asset.chain]?.name ?? asset.chain,
  },
  ...(hasSeveral
    ? [
        {
          id: 'address',
          header: t('Address'),
          value: ({ holding }: TokenRow) => nameOf(holding.address),
          cell: ({ holding }: TokenRow) => nameOf(holding.address),
        },
      ]
    : []),
]

/** Both are untrusted: cut to the table's width. */
function TokenName({ symbol, name }: { symbol: string; name: string }) {
  return (
    <span className="flex max-w-56 min-w-0 items-baseline gap-2">
      <span className="max-w-32 shrink-0 truncate font-medium">{symbol}</span>
      <span className="hidden min-w-0 truncate text-muted sm:inline">{name}</span>
    </span>
  )
}
