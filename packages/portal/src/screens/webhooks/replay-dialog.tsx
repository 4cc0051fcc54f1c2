import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { spanOf, toLocalMinute } from './span.ts'
import { replay, useWebhookChange, type Webhook } from './use-webhooks.ts'

const DAY_MS = 86_400_000
type Which = 'dead' | 'delivered' | 'both'

export function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [from, setFrom] = useState(() => toLocalMinute(new Date(Date.now() - DAY_MS)))
  const [until, setUntil] = useState(() => toLocalMinute(new Date()))
  const [which, setWhich] = useState<Which>('dead')
  const [count, setCount] = useState<string | null>(null)
  const change = useWebhookChange()
  const work = useWork()
  const span = spanOf(from, until)
  const title = t('Send again to {name}', { name: webhook.url })
  if (count !== null) {
    return (
      <Dialog open title={title} onClose={onClose}>
        <p role="status" className="text-sm">
          {t(
            '{n, plural, =0 {No deliveries to send again.} one {# delivery is queued again.} other {# deliveries are queued again.}}',
            {
              n: count,
            },
          )}
        </p>
        <Actions>
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </Actions>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={title}
      submit={t('Send again')}
      isReady={span !== null}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        if (!span) return
        const body = which === 'both' ? span : { ...span, state: which }
        setCount(await change((account) => replay(account, webhook, body), webhook))
      }}
    >
      <p className="text-sm text-muted">
        {t('Deliveries of events in this period are sent again, in order and with their original ids.')}
      </p>
      <MinuteField label={t('From')} value={from} onChange={setFrom} />
      <MinuteField
        label={t('Until')}
        value={until}
        error={span ? null : t('The period must end after it begins.')}
        onChange={setUntil}
      />
      <Field label={t('Which')}>
        {(control) => (
          <Select<Which>
            {...control}
            value={which}
            choices={[
              { value: 'dead', label: t('Given up') },
              { value: 'delivered', label: t('Delivered') },
              { value: 'both', label: t('Both') },
            ]}
            onChoose={setWhich}
          />
        )}
      </Field>
    </FormDialog>
  )
}

type MinuteFieldProps = { label: string; value: string; error?: string | null; onChange: (value: string) => void }

function MinuteField({ label, value, error, onChange }: MinuteFieldProps) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          required
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
