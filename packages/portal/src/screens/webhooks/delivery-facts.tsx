import { Badge, type Tone } from '../../components/badge.tsx'
import { Moment } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import type { Delivery, DeliveryState } from './use-webhooks.ts'

export const stateNames: Readonly<Record<DeliveryState, () => string>> = {
  waiting: () => t('waiting'),
  delivered: () => t('delivered'),
  dead: () => t('given up'),
}

const tones: Readonly<Record<DeliveryState, Tone>> = { waiting: 'accent', delivered: 'good', dead: 'bad' }

export function StateBadge({ state }: { state: DeliveryState }) {
  return <Badge tone={tones[state]}>{stateNames[state]()}</Badge>
}

/** What the last attempt came to: the status that was answered, or why there was none. */
export function Outcome({ delivery: { status, error } }: { delivery: Delivery }) {
  if (error !== null) return <span className="text-bad">{error}</span>
  return status === null ? <span className="text-muted">–</span> : <span>{t('answered {status}', { status })}</span>
}

/** When a delivery goes on; nothing where it does not. */
export function NextAttempt({ at }: { at: string | null }) {
  if (at === null) return <span className="text-muted">–</span>
  return new Date(at) > new Date() ? <Moment relative at={at} /> : t('now')
}

/** Text that was sent, or that a stranger's server answered. */
export function PlainText({ name, text }: { name: string; text: string }) {
  return (
    <div className="grid gap-1">
      <p className="text-sm font-medium">{name}</p>
      <pre className="rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  )
}
