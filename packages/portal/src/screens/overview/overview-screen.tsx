import { useHoldings } from '../../api/holdings.ts'
import type { Scope } from '../../api/scope.ts'
import { shortAddress } from '../../components/address.tsx'
import { Gaps } from '../../components/gaps.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker, ScopeView } from '../../components/scope-picker.tsx'
import { t } from '../../lib/i18n.ts'
import { AllocationCard } from './allocation-card.tsx'
import { CreditsCard } from './credits-card.tsx'
import { Guide } from './guide.tsx'
import { HistoryCard } from './history-card.tsx'
import { WalletsCard } from './wallets-card.tsx'
import { WorthCard } from './worth-card.tsx'

export function Screen() {
  return (
    <Page title={t('Overview')} lead={t('Total value of the selected addresses.')} actions={<ScopePicker />}>
      <Guide />
      <ScopeView>{(scope) => <Overview scope={scope} />}</ScopeView>
    </Page>
  )
}

function Overview({ scope }: { scope: Scope }) {
  const { addresses, nameOf } = scope
  const holdings = useHoldings(addresses)
  const shownName = (address: string) => nameOf(address) ?? shortAddress(address)
  return (
    <QueryView query={holdings} lines={10}>
      {(list) => (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <WorthCard holdings={list} scope={scope} nameOf={shownName} />
            <AllocationCard holdings={list} />
            <HistoryCard scope={scope} />
          </div>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <WalletsCard holdings={list} nameOf={nameOf} />
            <Gaps holdings={list} nameOf={shownName} />
            <CreditsCard />
          </div>
        </div>
      )}
    </QueryView>
  )
}
