import { useV1 } from '../../api/queries.ts'
import type { Scope } from '../../api/scope.ts'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker, ScopeView } from '../../components/scope-picker.tsx'
import { EmptyState } from '../../components/states.tsx'
import { walletsOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { costLines, type Portfolio } from './cost-lines.ts'
import { CostTable } from './cost-table.tsx'
import { MissingCard } from './missing-card.tsx'
import { PeriodsSection } from './periods-section.tsx'
import { TotalsTable } from './totals-table.tsx'

export function Screen() {
  return (
    <Page
      title={t('Profit and loss')}
      lead={t('Cost basis, unrealised and realised profit, in USD.')}
      actions={<ScopePicker />}
    >
      <ScopeView>{(scope) => <OfScope scope={scope} />}</ScopeView>
    </Page>
  )
}

function OfScope({ scope: { addresses, nameOf } }: { scope: Scope }) {
  const portfolios = useV1('/v1/portfolio', { query: { addresses } })
  return (
    <QueryView query={portfolios} lines={8}>
      {(all) => <Whole portfolios={all} wallets={walletsOf(addresses)} nameOf={nameOf} />}
    </QueryView>
  )
}

type WholeProps = { portfolios: readonly Portfolio[]; wallets: readonly string[]; nameOf: Scope['nameOf'] }

function Whole({ portfolios, wallets, nameOf }: WholeProps) {
  const lines = costLines(portfolios)
  return (
    <>
      <section aria-labelledby="pnl-totals" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h2 id="pnl-totals" className="text-sm font-semibold">
          {t('By wallet')}
        </h2>
        <TotalsTable portfolios={portfolios} nameOf={nameOf} />
        <p className="text-[0.8125rem] text-muted">
          {t(
            'Costs follow the method of the account: average cost, unless the operator chose FIFO, LIFO or HIFO. Totals include only known figures. Income and expenses are those of today (UTC).',
          )}
        </p>
      </section>
      {wallets.length > 0 && <PeriodsSection wallets={wallets} nameOf={nameOf} />}
      <MissingCard portfolios={portfolios} nameOf={nameOf} />
      <section aria-labelledby="pnl-assets" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h2 id="pnl-assets" className="text-sm font-semibold">
          {t('By asset and position')}
        </h2>
        {lines.length === 0 ? (
          <EmptyState title={t('No holdings')}>{t('Holdings of these addresses are listed here.')}</EmptyState>
        ) : (
          <CostTable lines={lines} nameOf={portfolios.length > 1 ? nameOf : null} />
        )}
      </section>
    </>
  )
}
