import { useState } from 'react'
import { useV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import type { SeriesDay, SeriesGap } from '../../api/series.ts'
import { Address } from '../../components/address.tsx'
import { Card } from '../../components/card.tsx'
import { Money } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { t } from '../../lib/i18n.ts'
import { formatDay } from '../../lib/time.ts'
import { CoinsView } from './coins-view.tsx'
import { HoldingsTable } from './day-holdings-table.tsx'
import { keptOf } from './days.ts'
import { holdingsOf, type PastPortfolio } from './holdings.ts'

type DayCardProps = { day: SeriesDay; wallets: readonly string[]; nameOf: Scope['nameOf'] }

export function DayCard({ day, wallets, nameOf }: DayCardProps) {
  const kept = keptOf(day, wallets)
  const [tab, setTab] = useState<'holdings' | 'coins'>('holdings')
  return (
    <Card
      title={formatDay(day.date)}
      aside={
        <span className="text-sm">
          <span className="text-muted">{t('Net worth')}</span> <Money value={day.netWorth} />
        </span>
      }
    >
      <DayGaps day={day} nameOf={nameOf} />
      {kept.length > 0 && (
        <Tabs
          name={t('The day’s figures')}
          value={tab}
          onChoose={setTab}
          tabs={[
            {
              value: 'holdings',
              label: t('Holdings'),
              content: <DayHoldings wallets={kept} date={day.date} nameOf={nameOf} />,
            },
            {
              value: 'coins',
              label: t('Coins'),
              content: <CoinsView wallets={kept} date={day.date} nameOf={nameOf} />,
            },
          ]}
        />
      )}
    </Card>
  )
}

function DayGaps({ day: { gaps, incomplete }, nameOf }: { day: SeriesDay; nameOf: Scope['nameOf'] }) {
  if (gaps.length + incomplete.length === 0) return null
  const lines = [
    ...gaps.map((gap) => ({ ...gap, text: gapText(gap.reason) })),
    ...incomplete.map((item) => ({
      ...item,
      text: t('Missing in this snapshot: {reason}.', { reason: item.reason }),
    })),
  ]
  return (
    <ul className="mb-4 grid gap-1.5">
      {lines.map(({ address, chain, text }) => {
        const label = nameOf(address)
        return (
          <li
            key={`${address} ${chain} ${text}`}
            className="flex flex-wrap items-center gap-x-2 border-s-2 border-warn ps-3 text-sm"
          >
            <Address address={address} {...(label && { label })} />
            {chain && <span className="text-muted">{chain}</span>}
            <span>{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

function gapText(reason: SeriesGap['reason']): string {
  if (reason === 'not-subscribed') return t('It had no snapshot subscription.')
  if (reason === 'pending') return t('The snapshot is not taken yet.')
  return reason === 'no-state'
    ? t('The nodes no longer had the state of that time.')
    : t('Part of it could not be read.')
}

type DayHoldingsProps = { wallets: readonly string[]; date: string; nameOf: Scope['nameOf'] }

function DayHoldings({ wallets, date, nameOf }: DayHoldingsProps) {
  const portfolios = useV1('/v1/historical', { query: { addresses: wallets, date } })
  return (
    <QueryView query={portfolios}>
      {(all) => (
        <>
          <ul className="grid gap-1.5">
            {all.map((portfolio) => (
              <WalletDay key={portfolio.address} portfolio={portfolio} label={nameOf(portfolio.address)} />
            ))}
          </ul>
          <HoldingsTable holdings={holdingsOf(all)} nameOf={all.length > 1 ? nameOf : null} />
        </>
      )}
    </QueryView>
  )
}

/** A wallet's net worth, and the block of each chain that it comes from. */
function WalletDay({ portfolio, label }: { portfolio: PastPortfolio; label: string | undefined }) {
  const { address, networth, asOf } = portfolio
  const blocks = Object.entries(asOf).map(([chain, { block, timestamp }]) =>
    t('{chain} block {block}, {timestamp}', { chain, block, timestamp }),
  )
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
      <Address address={address} {...(label && { label })} />
      <span className="font-medium">
        <Money value={networth} />
      </span>
      <span className="basis-full text-[0.8125rem] text-muted">{blocks.join(' · ')}</span>
    </li>
  )
}
