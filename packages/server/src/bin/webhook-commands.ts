import { webhookEndpoints } from '@coffer/contract'
import { ofAccount } from '@coffer/contract/portal'
import {
  createWebhook,
  listDeliveries,
  removeWebhook,
  replayDeliveries,
  rotateSecret,
  selectWebhooks,
  type Webhooks,
} from '../features/events/webhooks.ts'
import { createReach } from '../lib/public-network.ts'
import { type AdminContext, type Command, commandOf } from './admin-command.ts'

const own = ofAccount(webhookEndpoints)
const ID = '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32'

async function openWebhooks({ db, vault, config }: AdminContext): Promise<Webhooks> {
  return { db, vault: await vault(), reach: createReach(config().webhookNetworks) }
}

export const webhookCommands: Readonly<Record<string, Command>> = {
  'webhook list': commandOf(own.listWebhooks, {
    example: '--account 2',
    run: async ({ db }, { account }) => ({ print: await selectWebhooks(db, account) }),
  }),
  'webhook create': commandOf(own.createWebhook, {
    records: 'created a webhook',
    example: '--account 2 --url https://hooks.example.com/coffer --kinds sync.ended,snapshot.missed',
    async run(context, { account, url, kinds }) {
      const { data, secret } = await createWebhook(await openWebhooks(context), account, { url, kinds })
      return { print: { ...data, secret }, recorded: { detail: { webhook: data.id, url, kinds } } }
    },
  }),
  'webhook rotate': commandOf(own.rotateWebhookSecret, {
    records: 'rotated the secret of a webhook',
    example: `${ID} --account 2 --grace-hours 24`,
    async run(context, { account: accountId, id, graceHours }) {
      const { data, secret } = await rotateSecret(await openWebhooks(context), { accountId, id }, graceHours)
      return { print: { ...data, secret } }
    },
  }),
  'webhook deliveries': commandOf(
    { ...own.listWebhookDeliveries, query: own.listWebhookDeliveries.query.pick({ state: true }) },
    {
      example: `${ID} --account 2 --state dead`,
      async run(context, { account: accountId, id, state }) {
        const { data } = await listDeliveries(await openWebhooks(context), { accountId, id }, { state, limit: 200 })
        return { print: data }
      },
    },
  ),
  'webhook replay': commandOf(
    { ...own.replayWebhook, body: own.replayWebhook.body.options[1], description: 'In order, with their former IDs.' },
    {
      records: 'replayed deliveries of a webhook',
      example: `${ID} --account 2 --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z`,
      async run(context, { account: accountId, id, ...span }) {
        const replayed = await replayDeliveries(await openWebhooks(context), { accountId, id }, span)
        return { print: { replayed }, recorded: { detail: { replayed } } }
      },
    },
  ),
  'webhook remove': commandOf(own.removeWebhook, {
    records: 'removed a webhook',
    example: `${ID} --account 2`,
    async run(context, { account: accountId, id }) {
      await removeWebhook(await openWebhooks(context), { accountId, id })
      return { print: { removed: id } }
    },
  }),
}
