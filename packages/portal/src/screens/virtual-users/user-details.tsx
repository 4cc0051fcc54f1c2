import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { t } from '../../lib/i18n.ts'
import { BalanceGrid } from './balance-grid.tsx'
import { ExchangeCard } from './exchange-card.tsx'
import { HoldingsCard } from './holdings-card.tsx'
import { useBalances, type VirtualUser } from './users.ts'

export function UserDetails({ user, isOwner }: { user: VirtualUser; isOwner: boolean }) {
  return (
    <>
      <h2 className="text-lg font-semibold">{user.label}</h2>
      {user.type === 'BALANCE' ? (
        <BalancesCard user={user} isOwner={isOwner} />
      ) : (
        <ExchangeCard user={user} isOwner={isOwner} />
      )}
      <HoldingsCard user={user} />
    </>
  )
}

function BalancesCard({ user, isOwner }: { user: VirtualUser; isOwner: boolean }) {
  const balances = useBalances(user.id)
  return (
    <Card title={t('Balances')}>
      <QueryView query={balances}>
        {(read) => (
          <>
            {read.warnings.map((warning) => (
              <p key={warning} className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
                {t('Some holdings have no price: {reason}', { reason: warning })}
              </p>
            ))}
            <BalanceGrid key={JSON.stringify(read.balances)} user={user} saved={read.balances} isOwner={isOwner} />
          </>
        )}
      </QueryView>
    </Card>
  )
}
