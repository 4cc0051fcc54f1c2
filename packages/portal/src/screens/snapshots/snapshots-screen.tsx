import { useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { type SeriesDay, useSeries } from '../../api/series.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker } from '../../components/scope-picker.tsx'
import { EmptyState } from '../../components/states.tsx'
import { type WalletsOfScope, WalletsView } from '../../components/wallets-view.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchChange, useSearchTexts } from '../../lib/search.ts'
import { CalendarCard } from './calendar-card.tsx'
import { DayCard } from './day-card.tsx'
import { RANGE_DAYS, stateOf } from './days.ts'
import { NetWorthCard } from './net-worth-card.tsx'
import { SubscribeDialog } from './subscribe-dialog.tsx'

export function Screen() {
  return (
    <Page
      title={t('Snapshots')}
      lead={t('Holdings at 00:00 UTC of each day, at the prices of that time.')}
      actions={<ScopePicker />}
    >
      <WalletsView none={t('Virtual users have no snapshots. Select a wallet to see its history.')}>
        {(scope) => <OfWallets {...scope} />}
      </WalletsView>
    </Page>
  )
}

function OfWallets({ wallets, nameOf }: WalletsOfScope) {
  const isOwner = useMay('owner')
  const series = useSeries(wallets, RANGE_DAYS)
  const [isSubscribing, setSubscribing] = useState(false)
  const subscribe = (
    <Button look="primary" onClick={() => setSubscribing(true)}>
      {t('Subscribe…')}
    </Button>
  )
  return (
    <>
      <QueryView query={series} lines={8}>
        {({ days }) =>
          days.every((day) => stateOf(day, wallets.length) === 'none') ? (
            <EmptyState title={t('No snapshots yet')} action={isOwner && subscribe}>
              {isOwner
                ? t(
                    'Subscribe wallets to daily snapshots. The first one is taken immediately. You see the price before you subscribe.',
                  )
                : t('An owner of the account can subscribe wallets to daily snapshots.')}
            </EmptyState>
          ) : (
            <Kept days={days} wallets={wallets} nameOf={nameOf} subscribe={isOwner && subscribe} />
          )
        }
      </QueryView>
      {isSubscribing && <SubscribeDialog wallets={wallets} nameOf={nameOf} onClose={() => setSubscribing(false)} />}
    </>
  )
}

type KeptProps = WalletsOfScope & { days: readonly SeriesDay[]; subscribe: React.ReactNode }

function Kept({ days, wallets, nameOf, subscribe }: KeptProps) {
  const { day: asked } = useSearchTexts()
  const change = useSearchChange()
  const last = days.findLast((day) => ['kept', 'partial', 'some'].includes(stateOf(day, wallets.length)))
  const chosen = asked ?? (last ?? days.at(-1))?.date
  const day = days.find(({ date }) => date === chosen)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <CalendarCard
          days={days}
          wallets={wallets.length}
          chosen={chosen}
          onChoose={(next) => change({ day: next })}
          aside={subscribe}
        />
        <NetWorthCard series={days} />
      </div>
      {day ? (
        <DayCard key={day.date} day={day} wallets={wallets} nameOf={nameOf} />
      ) : (
        <EmptyState title={t('This day is not in the last year')}>{t('Select a day in the calendar.')}</EmptyState>
      )}
    </>
  )
}
