import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ErrorState } from '../../components/states.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { NextAttempt, Outcome, PlainText, StateBadge } from './delivery-facts.tsx'
import { type Delivery, hasBeenTried, sendTest, useTest, useWebhookChange, type Webhook } from './use-webhooks.ts'

type TestDialogProps = { webhook: Webhook; onClose: () => void }

/** Sends an event to one webhook only and shows the result. */
export function TestDialog({ webhook, onClose }: TestDialogProps) {
  const [before, setBefore] = useState<ReadonlySet<string> | null>(null)
  const change = useWebhookChange()
  const work = useWork()
  const title = t('Test {name}', { name: webhook.url })
  if (before) {
    const close = () => {
      onClose()
      void change(async () => undefined, webhook)
    }
    return (
      <Dialog open title={title} onClose={close}>
        <TestOutcome webhook={webhook} before={before} />
        <Actions>
          <Button look="primary" onClick={close}>
            {t('Done')}
          </Button>
        </Actions>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={title}
      submit={t('Send a test')}
      work={work}
      onClose={onClose}
      onSubmit={async () => setBefore(await change((account) => sendTest(account, webhook), webhook))}
    >
      <p className="text-sm text-muted">
        {t('Sends an event of the kind webhook.test to this webhook only, signed like all others.')}
      </p>
    </FormDialog>
  )
}

function TestOutcome({ webhook, before }: { webhook: Webhook; before: ReadonlySet<string> }) {
  const { delivery, error } = useTest(webhook, before)
  if (hasBeenTried(delivery)) return <Tried delivery={delivery} />
  if (error) return <ErrorState error={error} />
  return (
    <p role="status" className="text-sm text-muted">
      {t('Sending…')}
    </p>
  )
}

function Tried({ delivery }: { delivery: Delivery }) {
  const { state, nextAttemptAt, response } = delivery
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <StateBadge state={state} />
        <Outcome delivery={delivery} />
      </p>
      {nextAttemptAt !== null && (
        <p className="text-sm text-muted">
          {t('Next attempt:')} <NextAttempt at={nextAttemptAt} />
        </p>
      )}
      {response && <PlainText name={t('Response')} text={response} />}
    </div>
  )
}
