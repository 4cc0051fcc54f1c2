import { Suspense, useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker } from '../../components/scope-picker.tsx'
import { EmptyState } from '../../components/states.tsx'
import { type WalletsOfScope, WalletsView } from '../../components/wallets-view.tsx'
import { t } from '../../lib/i18n.ts'
import { lazyPart } from '../../lib/parts.ts'
import { useSearchChange, useSearchTexts } from '../../lib/search.ts'
import { CoverageCard } from './coverage-card.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FILTERS, type Filter, filterIn, narrowedBy } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'
import type { Sync } from './transaction.ts'
import { TransactionList } from './transaction-list.tsx'
import { onceEach, useTransactions } from './use-transactions.ts'

const SyncDialog = lazyPart(() => import('./sync-dialog.tsx'), 'SyncDialog')

export function Screen() {
  return (
    <Page title={t('Transactions')} lead={t('Transactions found so far.')} actions={<ScopePicker />}>
      <WalletsView none={t('Virtual users have no on-chain transactions. Select a wallet to see its transactions.')}>
        {(scope) => <OfWallets {...scope} />}
      </WalletsView>
    </Page>
  )
}

function OfWallets({ wallets, nameOf }: WalletsOfScope) {
  const filter = filterIn(useSearchTexts())
  const query = useTransactions(wallets, filter)
  const [isSyncing, setSyncing] = useState(false)
  const openSync = () => setSyncing(true)
  return (
    <>
      <FilterBar filter={filter} />
      <QueryView query={query} lines={8}>
        {({ pages }) => {
          const transactions = onceEach(pages)
          const { coverage = [], syncs = [] } = pages[0] ?? {}
          return (
            <>
              <CoverageCard wallets={wallets} coverage={coverage} syncs={syncs} nameOf={nameOf} onSync={openSync} />
              {transactions.length === 0 ? (
                <NothingListed filter={filter} syncs={syncs} onSync={openSync} />
              ) : (
                <>
                  <div className="flex flex-wrap items-center justify-between gap-2">
                    <p role="status" className="text-sm text-muted">
                      {query.hasNextPage
                        ? t('{n, plural, one {# transaction so far} other {# transactions so far}}', {
                            n: transactions.length,
                          })
                        : t('{n, plural, one {# transaction} other {# transactions}}', { n: transactions.length })}
                    </p>
                    <ExportMenu wallets={wallets} filter={filter} />
                  </div>
                  <TransactionList
                    transactions={transactions}
                    syncs={syncs}
                    nameOf={wallets.length > 1 ? nameOf : null}
                    more={query.hasNextPage ? () => void query.fetchNextPage() : null}
                    isLoadingMore={query.isFetchingNextPage}
                  />
                </>
              )}
            </>
          )
        }}
      </QueryView>
      {isSyncing && (
        <Suspense>
          <SyncDialog wallets={wallets} nameOf={nameOf} onClose={() => setSyncing(false)} />
        </Suspense>
      )}
    </>
  )
}

type NothingListedProps = { filter: Filter; syncs: readonly Sync[]; onSync: () => void }

function NothingListed({ filter, syncs, onSync }: NothingListedProps) {
  const isOwner = useMay('owner')
  const change = useSearchChange()
  if (narrowedBy(filter) > 0) {
    const clear = () => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
    return (
      <EmptyState
        title={t('No transaction matches the filters')}
        action={<Button onClick={clear}>{t('Clear filters')}</Button>}
      >
        {t('The filters apply to the transactions synced so far.')}
      </EmptyState>
    )
  }
  if (syncs.every(({ state }) => state === 'never')) {
    const sync = (
      <Button look="primary" onClick={onSync}>
        {t('Sync transactions')}
      </Button>
    )
    return (
      <EmptyState title={t('These wallets were never synced')} action={isOwner && sync}>
        {isOwner
          ? t('Start a sync to list transactions. You see the price before it starts.')
          : t('An owner of the account can start a sync to list transactions.')}
      </EmptyState>
    )
  }
  return (
    <EmptyState title={t('No transactions yet')}>
      {t('The blocks synced so far contain no transactions of these wallets.')}
    </EmptyState>
  )
}
