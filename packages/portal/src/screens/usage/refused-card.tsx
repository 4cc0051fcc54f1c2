import type { UsageOutcome } from '../../api/types.ts'
import { Card } from '../../components/card.tsx'
import { outcomeName } from '../../components/usage-bars.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { OUTCOMES, sumUsage, type UsageLine } from '../../lib/usage.ts'

export function RefusedCard({ lines }: { lines: readonly UsageLine[] }) {
  const counts = new Map(sumUsage(lines, ({ outcome }) => outcome).map(({ key, requests }) => [key, requests]))
  const seen = OUTCOMES.filter((outcome) => outcome !== 'ok' && counts.has(outcome))
  return (
    <Card title={t('Rejected and failed calls')}>
      {seen.length === 0 ? (
        <p className="text-sm text-muted">{t('None. Every call was answered.')}</p>
      ) : (
        <dl className="grid gap-2 text-sm">
          {seen.map((outcome) => (
            <div
              key={outcome}
              className="grid grid-cols-[8rem_4rem_1fr] items-baseline gap-x-3 max-sm:grid-cols-[1fr_auto]"
            >
              <dt className="font-medium">{outcomeName(outcome)}</dt>
              <dd className="text-end tabular-nums">{formatCount(counts.get(outcome) ?? 0)}</dd>
              <dd className="text-muted max-sm:col-span-2">{whatToDo(outcome)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

function whatToDo(outcome: UsageOutcome): string {
  if (outcome === 'input') return t('The request was invalid. Its response states the reason.')
  if (outcome === 'access') return t('The plan of the account does not include this endpoint.')
  if (outcome === 'credits') return t('The account had too few credits. Ask the operator for more.')
  if (outcome === 'rate') return t('The calls exceeded the limit per minute. Wait as long as Retry-After says.')
  if (outcome === 'busy') return t('The service was overloaded or timed out. Try again later.')
  return t('The service or one of its data sources failed. The credits were returned.')
}
