import { Link } from '@tanstack/react-router'
import { useAccount, useV1 } from '../../api/queries.ts'
import { Card } from '../../components/card.tsx'
import { Amount } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { t } from '../../lib/i18n.ts'

export function CreditsCard() {
  const credits = useV1('/v1/credits')
  const { id } = useAccount()
  return (
    <Card
      title={t('Credits')}
      aside={
        <Link to={`/a/${id}/usage`} className="text-sm text-accent underline-offset-2 hover:underline">
          {t('Usage')}
        </Link>
      }
    >
      <QueryView query={credits} lines={1}>
        {(left) => (
          <p className="text-xl font-semibold">
            <Amount value={left} /> <span className="text-sm font-normal text-muted">{t('left')}</span>
          </p>
        )}
      </QueryView>
      <p className="mt-1 text-[0.8125rem] text-muted">
        {t('Viewing the portal is free. API calls with a key cost credits.')}
      </p>
    </Card>
  )
}
