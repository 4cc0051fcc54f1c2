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

/** Status or error of the last attempt. */
export function Outcome({ delivery: { status, error } }: { delivery: Delivery }) {
  if (error !== null) return <span className="text-bad">{error}</span>
  return status === null ? <span className="text-muted">–</span> : <span>{t('answered {status}', { status })}</span>
}

export function NextAttempt({ at }: { at: string | null }) {
  if (at === null) return <span className="text-muted">–</span>
  return new Date(at) > new Date() ? <Moment relative at={at} /> : t('now')
}

/** Sent text, or the answer of an untrusted server. */
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
