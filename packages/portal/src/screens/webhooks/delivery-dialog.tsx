import { Dialog } from '../../components/dialog.tsx'
import { FactLine } from '../../components/fact.tsx'
import { Amount, Moment } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import { NextAttempt, Outcome, PlainText, StateBadge } from './delivery-facts.tsx'
import type { Delivery } from './use-webhooks.ts'

export function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  return (
    <Dialog open title={t('Delivery of {id}', { id: delivery.messageId })} onClose={onClose}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <dl className="grid gap-1 text-sm [--fact-name:8rem]">
          <FactLine name={t('Kind')}>
            <code className="font-mono text-[0.8125rem]">{delivery.kind}</code>
          </FactLine>
          <FactLine name={t('Subject')}>
            <span className="min-w-0 break-all">{delivery.subject}</span>
          </FactLine>
          <FactLine name={t('State')}>
            <StateBadge state={delivery.state} />
          </FactLine>
          <FactLine name={t('Happened')}>
            <Moment at={delivery.at} />
          </FactLine>
          <FactLine name={t('Attempts')}>
            <Amount value={delivery.attempts} />
          </FactLine>
          <FactLine name={t('Last attempt')}>
            {delivery.lastAttemptAt !== null && <Moment relative at={delivery.lastAttemptAt} />}
            <Outcome delivery={delivery} />
          </FactLine>
          <FactLine name={t('Next attempt')}>
            <NextAttempt at={delivery.nextAttemptAt} />
          </FactLine>
        </dl>
        <PlainText name={t('Body')} text={delivery.body} />
        {delivery.response !== null && <PlainText name={t('Response')} text={delivery.response} />}
      </div>
    </Dialog>
  )
}
