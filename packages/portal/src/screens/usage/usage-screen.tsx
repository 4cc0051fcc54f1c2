import { useQuery } from '@tanstack/react-query'
import { accountQuery, useAccount } from '../../api/queries.ts'
import type { CreditsView } from '../../api/types.ts'
import { Fact, Facts } from '../../components/fact.tsx'
import { Amount, Moment } from '../../components/figures.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { useSearchState } from '../../lib/search.ts'
import { CallsPanel } from './calls-panel.tsx'
import { LedgerPanel } from './ledger-panel.tsx'

const panels = ['calls', 'ledger'] as const
type Panel = (typeof panels)[number]

export function Screen() {
  const [{ tab }, put] = useSearchState<'tab'>()
  const chosen = panels.find((panel) => panel === tab) ?? 'calls'
  return (
    <Page
      title={t('Usage and credits')}
      lead={t('Calls made with API keys, and the credits they cost. Viewing this page is free.')}
    >
      <Credits />
      <Tabs<Panel>
        name={t('Usage and credits')}
        value={chosen}
        onChoose={(value) => put({ tab: value })}
        tabs={[
          { value: 'calls', label: t('Calls'), content: <CallsPanel /> },
          { value: 'ledger', label: t('Ledger'), content: <LedgerPanel /> },
        ]}
      />
    </Page>
  )
}

function Credits() {
  const credits = useQuery(accountQuery<CreditsView>(useAccount().id, '/credits'))
  return (
    <QueryView query={credits} lines={2}>
      {({ available, pending, perDay, lastsUntil }) => (
        <Facts>
          <Fact label={t('Credits available')} value={formatCount(available)} />
          <Fact label={t('Reserved')} value={formatCount(pending)} note={t('for calls in progress')} />
          <Fact
            label={t('Spent per day')}
            value={<Amount value={perDay} />}
            note={t('average of the last 30 days, or since the account was created')}
          />
          {lastsUntil ? (
            <Fact label={t('Credits last until')} value={<Moment at={lastsUntil} />} note={t('at the current rate')} />
          ) : (
            <Fact
              label={t('Credits last')}
              value={perDay === '0' ? t('indefinitely: none are spent') : t('over a hundred years')}
            />
          )}
        </Facts>
      )}
    </QueryView>
  )
}
