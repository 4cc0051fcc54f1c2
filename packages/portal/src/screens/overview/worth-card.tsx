import { useState } from 'react'
import { type Holding, isVirtual } from '../../api/holdings.ts'
import { useV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import { isWhole, useWorth } from '../../api/series.ts'
import { AsOf } from '../../components/as-of.tsx'
import { Card } from '../../components/card.tsx'
import { Change, Money, Price } from '../../components/figures.tsx'
import { IncompleteLine } from '../../components/gaps.tsx'
import { Select } from '../../components/select.tsx'
import { Why } from '../../components/why.tsx'
import { walletsOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { formatDay } from '../../lib/time.ts'
import { netWorthOf } from './allocation.ts'
import { CHANGE_DAYS, changesOf, type WorthChange } from './changes.ts'

const USD = 'USD'
const CURRENCIES = [
  USD,
  'EUR',
  'GBP',
  'JPY',
  'CNY',
  'CAD',
  'CHF',
  'AUD',
  'SGD',
  'AED',
  'ETH',
  'BTC',
  'SOL',
  'BNB',
] as const
type Currency = (typeof CURRENCIES)[number]

type WorthCardProps = {
  holdings: readonly Holding[]
  scope: Scope
  nameOf: (address: string) => string
}

export function WorthCard({ holdings, scope, nameOf }: WorthCardProps) {
  const [currency, setCurrency] = useState<Currency>(USD)
  // The service converts the worth of wallets; virtual users are reported in USD alone.
  const canConvert = !holdings.some(isVirtual)
  return (
    <Card
      title={t('Net worth')}
      aside={
        canConvert && (
          <div className="w-24">
            <Select
              aria-label={t('Currency')}
              value={currency}
              choices={CURRENCIES.map((value) => ({ value, label: value }))}
              onChoose={setCurrency}
            />
          </div>
        )
      }
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-3xl font-semibold tracking-tight">
        {canConvert && currency !== USD ? (
          <Converted addresses={scope.addresses} currency={currency} />
        ) : (
          <span data-figure="net-worth">
            <Money value={netWorthOf(holdings)} />
          </span>
        )}
      </div>
      <IncompleteLine holdings={holdings} />
      <AsOf holdings={holdings} nameOf={nameOf} />
      <Changes holdings={holdings} scope={scope} />
    </Card>
  )
}

/** The service's own figure in another currency, with its rate. */
function Converted({ addresses, currency }: { addresses: readonly string[]; currency: Currency }) {
  const nav = useV1('/v1/nav', { query: { addresses: walletsOf(addresses), currency } })
  if (nav.error) return <Money value="N/A" currency={currency} />
  if (!nav.data) return <span className="text-muted">…</span>
  return (
    <span>
      <Money value={nav.data.nav} currency={currency} />
      <Why
        figure={t('Net worth in {currency}', { currency })}
        reasons={[
          { label: t('Exact'), value: nav.data.nav },
          { label: t('USD for one {currency}', { currency }), value: <Price value={nav.data.conversionPrice} /> },
        ]}
      />
    </span>
  )
}

function Changes({ holdings, scope }: { holdings: readonly Holding[]; scope: Scope }) {
  const { data } = useWorth(scope, CHANGE_DAYS)
  const ofWallets = holdings.filter((holding) => !isVirtual(holding))
  if (!data?.points.some(isWhole)) return null
  return (
    <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3">
      {changesOf(data.points, netWorthOf(ofWallets), new Date()).map((change) => (
        <ChangeOf key={change.days} change={change} />
      ))}
    </dl>
  )
}

function ChangeOf({ change: { days, date, value, ratio } }: { change: WorthChange }) {
  const since = t('Since {day}, 00:00 UTC', { day: formatDay(date) })
  return (
    <div title={value === 'N/A' ? t('A part of {day} is missing.', { day: formatDay(date) }) : since}>
      <dt className="text-xs text-muted">{t('{n, plural, one {# day} other {# days}}', { n: days })}</dt>
      <dd className="text-sm">
        <Change value={value} />
        {value !== 'N/A' && (
          <>
            {' '}
            <Change value={ratio} as="percent" />
          </>
        )}
      </dd>
    </div>
  )
}
