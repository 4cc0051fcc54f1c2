import { useState } from 'react'
import { useV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import type { V1Answer } from '../../api/types.ts'
import { shortAddress } from '../../components/address.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Field } from '../../components/field.tsx'
import { Amount, Money, Price } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Worth } from '../../components/worth.tsx'
import { isPriced, priceOf, symbolOf, worthOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { formatAmount } from '../../lib/money.ts'

type Coin = V1Answer<'GET', '/v1/token-overview'>[number]
type CoinsViewProps = { wallets: readonly string[]; date: string; nameOf: Scope['nameOf'] }

/** One wallet's coins on a day, over chains and protocols, less debts. */
export function CoinsView({ wallets, date, nameOf }: CoinsViewProps) {
  const [chosen, setChosen] = useState(wallets[0] ?? '')
  const coins = useV1('/v1/token-overview', { query: { addresses: chosen, date } })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {wallets.length > 1 && (
        <Field label={t('Wallet')}>
          {(control) => (
            <Select
              {...control}
              className="max-w-80"
              value={chosen}
              choices={wallets.map((value) => ({ value, label: nameOf(value) ?? shortAddress(value) }))}
              onChoose={setChosen}
            />
          )}
        </Field>
      )}
      <QueryView query={coins}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('No holdings')} />
          ) : (
            <DataTable
              name={t('Coins of the day')}
              rows={list.map((coin, place) => ({ coin, place }))}
              columns={columns()}
              rowKey={({ place }) => String(place)}
              sortBy={{ id: 'value', desc: true }}
            />
          )
        }
      </QueryView>
    </div>
  )
}

type Row = { coin: Coin; place: number }

const columns = (): Column<Row>[] => [
  {
    id: 'coin',
    header: t('Coin'),
    value: ({ coin }) => symbolOf(coin),
    cell: ({ coin }) => (
      <span className="flex flex-wrap items-center gap-x-1.5">
        <span className="font-medium">{symbolOf(coin)}</span>
        <span className="max-w-48 truncate text-muted">{coin.displayName}</span>
      </span>
    ),
  },
  { id: 'amount', header: t('Amount'), end: true, cell: ({ coin }) => <Amount value={coin.balance} /> },
  {
    id: 'price',
    header: t('Price then'),
    end: true,
    cell: ({ coin }) => <Price value={priceOf(coin)} />,
  },
  {
    id: 'value',
    header: t('Value'),
    end: true,
    sort: 'decimal',
    value: ({ coin }) => worthOf(coin),
    cell: ({ coin }) => <Worth asset={coin} />,
  },
  {
    id: 'share',
    header: t('Share'),
    end: true,
    sort: 'decimal',
    value: ({ coin }) => coin.percentage,
    // A percentage as text, not a ratio.
    cell: ({ coin }) => <data value={coin.percentage}>{formatAmount(coin.percentage)} %</data>,
  },
  {
    id: 'where',
    header: t('Where'),
    cell: ({ coin }) => (
      <ul>
        {coin.protocolsDetailed.map((protocol) => (
          <li key={protocol.key} className="flex justify-between gap-3">
            <span>{protocol.name}</span>
            <span className="text-muted">
              <Money value={isPriced(coin) ? protocol.value : 'N/A'} />
            </span>
          </li>
        ))}
      </ul>
    ),
  },
]
