import { useMemo, useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Amount, Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { OlderButton } from '../../components/older-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { NextAttempt, Outcome, StateBadge, stateNames } from './delivery-facts.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import {
  type Delivery,
  type DeliveryState,
  replay,
  useDeliveries,
  useWebhookChange,
  type Webhook,
} from './use-webhooks.ts'

const STATES = ['waiting', 'delivered', 'dead'] as const satisfies readonly DeliveryState[]
type Shown = DeliveryState | 'all'

type DeliveriesProps = {
  webhooks: readonly Webhook[]
  webhook: Webhook
  state: string | undefined
  put: (changes: { webhook?: string; state?: string }) => void
}

export function DeliveriesSection({ webhooks, webhook, state: asked, put }: DeliveriesProps) {
  const isOwner = useMay('owner')
  const [isReplaying, setReplaying] = useState(false)
  const state = STATES.find((one) => one === asked)
  return (
    <section aria-labelledby="webhook-deliveries" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 id="webhook-deliveries" className="text-sm font-semibold">
        {t('Deliveries of the last 30 days')}
      </h2>
      <div className="flex flex-wrap items-end gap-3">
        {webhooks.length > 1 && (
          <div className="w-full sm:w-96">
            <Field label={t('Webhook')}>
              {(control) => (
                <Select
                  {...control}
                  value={webhook.id}
                  choices={webhooks.map(({ id, url }) => ({ value: id, label: url }))}
                  onChoose={(id) => put({ webhook: id })}
                />
              )}
            </Field>
          </div>
        )}
        <div className="w-44">
          <Field label={t('State')}>
            {(control) => (
              <Select<Shown>
                {...control}
                value={state ?? 'all'}
                choices={[
                  { value: 'all', label: t('all') },
                  ...STATES.map((value) => ({ value, label: stateNames[value]() })),
                ]}
                onChoose={(value) => put({ state: value === 'all' ? '' : value })}
              />
            )}
          </Field>
        </div>
        {isOwner && <Button onClick={() => setReplaying(true)}>{t('Resend a period')}</Button>}
      </div>
      <Deliveries key={webhook.id} webhook={webhook} state={state} isOwner={isOwner} />
      {isReplaying && <ReplayDialog webhook={webhook} onClose={() => setReplaying(false)} />}
    </section>
  )
}

type ListProps = { webhook: Webhook; state: DeliveryState | undefined; isOwner: boolean }

function Deliveries({ webhook, state, isOwner }: ListProps) {
  const pages = useDeliveries(webhook, state)
  const [opened, setOpened] = useState<string | null>(null)
  const change = useWebhookChange()
  const work = useWork()
  const sendAgain = ({ id: deliveryId }: Delivery) =>
    void work.run(() => change((account) => replay(account, webhook, { deliveryId }), webhook))
  return (
    <>
      <Failure text={work.error} />
      <QueryView query={pages}>
        {({ pages: read }) => {
          const all = read.flatMap(({ data }) => data)
          const shown = all.find(({ id }) => id === opened)
          if (all.length === 0) {
            return state ? (
              <EmptyState title={t('No deliveries in this state')} />
            ) : (
              <EmptyState title={t('No deliveries yet')}>{t('Send a test from the menu of the webhook.')}</EmptyState>
            )
          }
          return (
            <>
              <DeliveryTable deliveries={all} onOpen={setOpened} onSendAgain={isOwner ? sendAgain : null} />
              <OlderButton pages={pages} />
              {shown && <DeliveryDialog delivery={shown} onClose={() => setOpened(null)} />}
            </>
          )
        }}
      </QueryView>
    </>
  )
}

type DeliveryTableProps = {
  deliveries: readonly Delivery[]
  onOpen: (id: string) => void
  /** Null without permission. */
  onSendAgain: ((delivery: Delivery) => void) | null
}

function DeliveryTable({ deliveries, onOpen, onSendAgain }: DeliveryTableProps) {
  const columns = useMemo(() => [...facts(), actions(onOpen, onSendAgain)], [onOpen, onSendAgain])
  return <DataTable name={t('Deliveries')} rows={deliveries} columns={columns} rowKey={({ id }) => id} />
}

const facts = (): Column<Delivery>[] => [
  {
    id: 'kind',
    header: t('Kind'),
    cell: ({ kind, messageId }) => (
      <>
        <span className="font-medium">{kind}</span>{' '}
        <code className="font-mono text-[0.8125rem] text-muted">{messageId}</code>
      </>
    ),
  },
  { id: 'state', header: t('State'), cell: ({ state }) => <StateBadge state={state} /> },
  { id: 'at', header: t('Happened'), cell: ({ at }) => <Moment at={at} /> },
  { id: 'attempts', header: t('Attempts'), end: true, cell: ({ attempts }) => <Amount value={attempts} /> },
  {
    id: 'last',
    header: t('Last attempt'),
    cell: (delivery) => (
      <span className="inline-block max-w-80 whitespace-normal">
        <Outcome delivery={delivery} />
      </span>
    ),
  },
  { id: 'next', header: t('Next attempt'), cell: ({ nextAttemptAt }) => <NextAttempt at={nextAttemptAt} /> },
]

const actions = (
  onOpen: DeliveryTableProps['onOpen'],
  onSendAgain: DeliveryTableProps['onSendAgain'],
): Column<Delivery> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (delivery) => (
    <Menu
      name={t('Actions for {name}', { name: delivery.messageId })}
      actions={[
        { label: t('Details'), onSelect: () => onOpen(delivery.id) },
        ...(onSendAgain && delivery.state !== 'waiting'
          ? [{ label: t('Send again'), onSelect: () => onSendAgain(delivery) }]
          : []),
      ]}
    />
  ),
})
