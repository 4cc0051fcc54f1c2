import type { SECRET_GRACE_HOURS } from '@coffer/contract'
import { useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { GraceField } from '../../components/grace-field.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type Settings, useWebhookChange, type Webhook, type WithSecret } from './use-webhooks.ts'
import { isComplete, WebhookForm } from './webhook-form.tsx'

type WebhookDialogProps = { webhook: Webhook; onClose: () => void }
type Kinds = Settings['kinds']

export function CreateWebhookDialog({ kinds, onClose }: { kinds: Kinds; onClose: () => void }) {
  const [settings, setSettings] = useState<Settings>({ url: '', kinds })
  const [made, setMade] = useState<WithSecret | null>(null)
  const change = useWebhookChange()
  const work = useWork()
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <FormDialog
      title={t('Create a webhook')}
      submit={t('Create')}
      isReady={isComplete(settings)}
      work={work}
      onClose={onClose}
      onSubmit={async () =>
        setMade(await change((account) => writeV1('POST', account, '/v1/webhooks', { body: settings })))
      }
    >
      <WebhookForm settings={settings} kinds={kinds} onChange={setSettings} />
    </FormDialog>
  )
}

/** The receiver verifies signatures with this secret. */
function NewSecret({ made: { data, secret }, onClose }: { made: WithSecret; onClose: () => void }) {
  const texts = [{ name: t('Secret'), text: secret }]
  return <ShownOnce title={t('New secret for {url}', { url: data.url })} texts={texts} onClose={onClose} />
}

export function EditWebhookDialog({ webhook, kinds, onClose }: WebhookDialogProps & { kinds: Kinds }) {
  const [settings, setSettings] = useState<Settings>({ url: webhook.url, kinds: webhook.kinds })
  const change = useWebhookChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Change {name}', { name: webhook.url })}
      submit={t('Change')}
      isReady={isComplete(settings)}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change(
          (account) =>
            writeV1('PATCH', account, '/v1/webhooks/:webhookId', {
              params: { webhookId: webhook.id },
              body: settings,
            }),
          webhook,
        )
        onClose()
      }}
    >
      <WebhookForm settings={settings} kinds={kinds} onChange={setSettings} />
      {webhook.waiting !== '0' && <p className="text-sm text-muted">{t('Waiting deliveries go to the new URL.')}</p>}
    </FormDialog>
  )
}

export function SwitchWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const { id: webhookId, url, enabled } = webhook
  const change = useWebhookChange()
  const work = useWork()
  return (
    <FormDialog
      title={enabled ? t('Stop {name}', { name: url }) : t('Start {name}', { name: url })}
      submit={enabled ? t('Stop') : t('Start')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { enabled: !enabled }
        await change(
          (account) => writeV1('PATCH', account, '/v1/webhooks/:webhookId', { params: { webhookId }, body }),
          webhook,
        )
        onClose()
      }}
    >
      <p className="text-sm text-muted">
        {enabled
          ? t(
              'A stopped webhook receives nothing, and events that happen meanwhile are not kept for it. Waiting deliveries continue after a start.',
            )
          : t('The webhook receives events from now on, and waiting deliveries continue.')}
      </p>
    </FormDialog>
  )
}

/** The contract exports only types: other hours there are a type error here. */
const HOURS = [0, 1, 24, 168] as const satisfies typeof SECRET_GRACE_HOURS

export function RotateSecretDialog({ webhook, onClose }: WebhookDialogProps) {
  const [graceHours, setGraceHours] = useState<(typeof HOURS)[number]>(24)
  const [made, setMade] = useState<WithSecret | null>(null)
  const change = useWebhookChange()
  const work = useWork()
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <FormDialog
      title={t('New secret for {url}', { url: webhook.url })}
      submit={t('Rotate')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const parts = { params: { webhookId: webhook.id }, body: { graceHours } }
        setMade(await change((account) => writeV1('POST', account, '/v1/webhooks/:webhookId/rotate', parts), webhook))
      }}
    >
      <p className="text-sm text-muted">
        {t(
          'The old secret signs along with the new one until it ends. Any secret before the old one ends immediately.',
        )}
      </p>
      <GraceField label={t('The old secret ends')} hours={HOURS} value={graceHours} onChoose={setGraceHours} />
    </FormDialog>
  )
}

export function RemoveWebhookDialog({ webhook: { id, url }, onClose }: WebhookDialogProps) {
  const change = useWebhookChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Delete {name}', { name: url })}
      submit={t('Delete')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) => writeV1('DELETE', account, '/v1/webhooks/:webhookId', { params: { webhookId: id } }))
        onClose()
      }}
    >
      <p className="text-sm text-muted">
        {t('This also deletes its secret and its deliveries, including waiting ones. It cannot be undone.')}
      </p>
    </FormDialog>
  )
}
