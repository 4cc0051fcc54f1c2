import { useMemo, useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { DeliveriesSection } from './deliveries-section.tsx'
import { TestDialog } from './test-dialog.tsx'
import { type Settings, useWebhooks, type Webhook } from './use-webhooks.ts'
import { WatchesSection } from './watches-section.tsx'
import {
  CreateWebhookDialog,
  EditWebhookDialog,
  RemoveWebhookDialog,
  RotateSecretDialog,
  SwitchWebhookDialog,
} from './webhook-dialogs.tsx'

type Action = 'test' | 'edit' | 'rotate' | 'switch' | 'remove'
type Open = { kind: 'create' } | { kind: Action; webhook: Webhook } | null

export function Screen() {
  const isOwner = useMay('owner')
  const [open, setOpen] = useState<Open>(null)
  const [{ webhook: asked, state }, put] = useSearchState<'webhook' | 'state'>()
  const webhooks = useWebhooks()
  const list = webhooks.data?.data ?? []
  const chosen = list.find(({ id }) => id === asked) ?? list[0]
  const create = (
    <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
      {t('Create a webhook')}
    </Button>
  )
  return (
    <Page
      title={t('Webhooks')}
      lead={t('Coffer posts signed events of the account to your URLs.')}
      actions={isOwner && create}
    >
      <QueryView query={webhooks}>
        {({ data, kinds }) => (
          <>
            {data.length > 0 ? (
              <WebhookTable webhooks={data} isOwner={isOwner} onOpen={setOpen} />
            ) : (
              <EmptyState title={t('No webhooks yet')} action={isOwner && create}>
                {t('Your program receives events as they happen and does not have to poll.')}
              </EmptyState>
            )}
            <OpenDialog open={open} kinds={kinds} onClose={() => setOpen(null)} />
          </>
        )}
      </QueryView>
      <WatchesSection />
      {chosen && <DeliveriesSection webhooks={list} webhook={chosen} state={state} put={put} />}
    </Page>
  )
}

type OpenDialogProps = { open: Open; kinds: Settings['kinds']; onClose: () => void }

function OpenDialog({ open, kinds, onClose }: OpenDialogProps) {
  if (!open) return null
  if (open.kind === 'create') return <CreateWebhookDialog kinds={kinds} onClose={onClose} />
  const { kind, webhook } = open
  if (kind === 'edit') return <EditWebhookDialog webhook={webhook} kinds={kinds} onClose={onClose} />
  const OfOne = {
    test: TestDialog,
    rotate: RotateSecretDialog,
    switch: SwitchWebhookDialog,
    remove: RemoveWebhookDialog,
  }[kind]
  return <OfOne webhook={webhook} onClose={onClose} />
}

type WebhookTableProps = { webhooks: readonly Webhook[]; isOwner: boolean; onOpen: (open: Open) => void }

function WebhookTable({ webhooks, isOwner, onOpen }: WebhookTableProps) {
  const columns = useMemo(() => [...facts(), ...(isOwner ? [actions(onOpen)] : [])], [isOwner, onOpen])
  return <DataTable name={t('Webhooks')} rows={webhooks} columns={columns} rowKey={({ id }) => id} />
}

const facts = (): Column<Webhook>[] => [
  {
    id: 'url',
    header: t('URL'),
    value: ({ url }) => url,
    cell: ({ url }) => <span className="inline-block max-w-96 font-medium break-all">{url}</span>,
  },
  { id: 'state', header: t('State'), cell: (webhook) => <WebhookState webhook={webhook} /> },
  {
    id: 'kinds',
    header: t('Kinds of events'),
    cell: ({ kinds }) => (
      <span className="flex max-w-96 flex-wrap gap-1">
        {kinds.map((kind) => (
          <Badge key={kind}>{kind}</Badge>
        ))}
      </span>
    ),
  },
  counted('waiting', t('Waiting'), ({ waiting }) => waiting),
  counted('dead', t('Given up'), ({ dead }) => dead),
  {
    id: 'created',
    header: t('Created'),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
]

const counted = (id: string, header: string, count: (webhook: Webhook) => string): Column<Webhook> => ({
  id,
  header,
  end: true,
  sort: 'decimal' as const,
  value: count,
  cell: (webhook) => <Amount value={count(webhook)} />,
})

function WebhookState({ webhook: { enabled, oldSecretUntil } }: { webhook: Webhook }) {
  return (
    <>
      {enabled ? <Badge tone="good">{t('active')}</Badge> : <Badge>{t('stopped')}</Badge>}
      {oldSecretUntil !== null && (
        <span className="block text-xs text-muted">
          {t('old secret ends')} <Moment relative at={oldSecretUntil} />
        </span>
      )}
    </>
  )
}

const actions = (onOpen: (open: Open) => void): Column<Webhook> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (webhook) => {
    const action = (kind: Action, label: string) => ({ label, onSelect: () => onOpen({ kind, webhook }) })
    return (
      <Menu
        name={t('Actions for {name}', { name: webhook.url })}
        actions={[
          ...(webhook.enabled ? [action('test', t('Send a test'))] : []),
          action('edit', t('Change')),
          action('rotate', t('Rotate the secret')),
          action('switch', webhook.enabled ? t('Stop') : t('Start')),
          { ...action('remove', t('Delete')), danger: true },
        ]}
      />
    )
  },
})
