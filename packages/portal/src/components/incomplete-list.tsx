import type { IncompleteReason } from '@coffer/contract'
import { t } from '../lib/i18n.ts'
import { MissingMark } from './states.tsx'

type Incomplete = {
  chain: string
  protocol?: string | undefined
  source?: string | undefined
  reason: IncompleteReason
}

/** What an answer leaves out or has from an older read, and why; nothing of a whole one. */
export function IncompleteList({ items }: { items: readonly Incomplete[] }) {
  if (items.length === 0) return null
  return (
    <section className="rounded-lg border border-line bg-surface p-3 text-sm">
      <p className="mb-1 font-medium">
        <MissingMark /> {t('Some of it is missing or old:')}
      </p>
      <ul className="grid gap-0.5">
        {items.map(({ chain, protocol, source, reason }) => (
          <li key={`${chain} ${protocol} ${source} ${reason}`}>
            {[chain, protocol, source].filter(Boolean).join(' · ')}: {reasonText(reason)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function reasonText(reason: IncompleteReason): string {
  if (reason === 'unreadable') return t('could not be read')
  if (reason === 'stale') return t('is from the last good read')
  if (reason === 'not-allowed') return t('the plan of the account does not read it')
  if (reason === 'time-limit') return t('was not read in time')
  return reason === 'searching' ? t('is still searched') : t('is linked to no exchange account')
}
