import { useMemo } from 'react'
import type { KeyView, UsageView } from '../../api/types.ts'
import { UsageBars } from '../../components/usage-bars.tsx'
import { t } from '../../lib/i18n.ts'
import { usageByDay } from '../../lib/usage.ts'

export const USAGE_DAYS = 30

type KeyUsageProps = {
  apiKey: KeyView
  /** Usage of all keys; undefined while loading. */
  usage: UsageView | undefined
  failure: Error | null
}

/** A key's calls by day as bars, with their sum in words. */
export function KeyUsage({ apiKey, usage, failure }: KeyUsageProps) {
  const days = useMemo(() => {
    const lines = usage?.lines.filter(({ keyId }) => keyId === apiKey.id) ?? []
    return usage ? usageByDay({ ...usage, lines }) : []
  }, [usage, apiKey.id])
  if (!usage)
    return (
      <span className="text-muted" title={failure?.message}>
        {failure ? 'N/A' : '…'}
      </span>
    )
  const calls = days.reduce((sum, { requests }) => sum + requests, 0)
  const others = days.reduce((sum, { requests, byOutcome }) => sum + requests - byOutcome.ok, 0)
  if (calls === 0) return <span className="text-muted">{t('none')}</span>
  const text = t('{n, plural, one {# call} other {# calls}}', { n: calls })
  return (
    <span className="inline-flex items-center gap-2">
      <UsageBars size="line" name={t('Calls of {name} by day', { name: apiKey.name })} days={days} />
      <span className="text-[0.8125rem]">
        {text}
        {others > 0 && <span className="block text-xs text-muted">{t('{n} not answered', { n: others })}</span>}
      </span>
    </span>
  )
}
