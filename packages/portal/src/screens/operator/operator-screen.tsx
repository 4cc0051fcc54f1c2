import { useNavigate, useParams } from '@tanstack/react-router'
import { useSession } from '../../api/queries.ts'
import { Page } from '../../components/page.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { t } from '../../lib/i18n.ts'
import { AccountsPanel } from './accounts-panel.tsx'
import { ChainsPanel } from './chains-panel.tsx'
import { ConfigurationPanel } from './configuration-panel.tsx'
import { JobsPanel } from './jobs-panel.tsx'
import { LedgerPanel } from './ledger-panel.tsx'
import { PricesPanel } from './prices-panel.tsx'
import { SyncsPanel } from './syncs-panel.tsx'

const PANELS = ['accounts', 'chains', 'jobs', 'syncs', 'prices', 'ledger', 'configuration'] as const
type Panel = (typeof PANELS)[number]

export function Screen() {
  const { panel } = useParams({ strict: false }) as { panel?: string }
  const navigate = useNavigate()
  if (!useSession().user.isOperator) {
    return (
      <Page title={t('Admin')}>
        <EmptyState title={t('Only operators see this page')}>
          {t('The person who runs the service can make you an operator with coffer-admin.')}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title={t('Admin')} lead={t('Accounts, nodes, background jobs and settings of the whole service.')}>
      <Tabs<Panel>
        name={t('Admin')}
        value={PANELS.find((one) => one === panel) ?? 'accounts'}
        onChoose={(value) => void navigate({ to: `/operator/${value}` })}
        tabs={[
          { value: 'accounts', label: t('Accounts'), content: <AccountsPanel /> },
          { value: 'chains', label: t('Chains and nodes'), content: <ChainsPanel /> },
          { value: 'jobs', label: t('Jobs'), content: <JobsPanel /> },
          { value: 'syncs', label: t('Failing syncs'), content: <SyncsPanel /> },
          { value: 'prices', label: t('Price sources'), content: <PricesPanel /> },
          { value: 'ledger', label: t('Ledger'), content: <LedgerPanel /> },
          { value: 'configuration', label: t('Configuration'), content: <ConfigurationPanel /> },
        ]}
      />
    </Page>
  )
}
