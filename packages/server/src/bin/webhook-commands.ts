import { EVENT_KINDS, type EventKind, Failure, SECRET_GRACE_HOURS } from '@coffer/contract'
import { z } from 'zod'
import { createWebhooks, type Webhooks } from '../features/events/webhooks.ts'
import { createReach } from '../lib/public-network.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { getAccount } from './command-input.ts'

const webhookId = z.uuid('is not the id of a webhook')
const kindList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts): parts is EventKind[] => parts.every((part) => EVENT_KINDS.some((kind) => kind === part)),
    `must be a comma list of ${EVENT_KINDS.join(', ')}`,
  )
const moment = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601 with its zone' })
  .transform((text) => new Date(text).toISOString())

async function withWebhooks<T>(
  context: AdminContext,
  account: string,
  work: (webhooks: Webhooks) => Promise<T>,
): Promise<T> {
  await getAccount(context, account)
  const reach = createReach(context.config().webhookNetworks)
  const webhooks = createWebhooks({ db: context.db, vault: await context.vault(), reach })
  return work(webhooks).catch((error: unknown) => {
    throw error instanceof Failure ? new Refusal(`${error.message}.`) : error
  })
}

const list = defineCommand({
  records: null,
  about: 'Lists the webhooks of an account, with what waits and what was given up.',
  example: '--account 2',
  usage: '--account ID',
  flags: { account: id },
  run: async (context, { account }) => ({
    print: await withWebhooks(context, account, (webhooks) => webhooks.list(account)),
  }),
})

const create = defineCommand({
  records: 'created a webhook',
  about: 'Makes a webhook of an account and prints its secret, this once.',
  example: '--account 2 --url https://hooks.example.com/coffer --kinds sync.ended,snapshot.missed',
  usage: '--account ID --url U --kinds K,…',
  flags: { account: id, url: z.string(), kinds: kindList },
  async run(context, { account, url, kinds }) {
    const wanted = { url, kinds }
    const { data, secret } = await withWebhooks(context, account, (webhooks) => webhooks.create(account, wanted))
    return {
      print: { ...data, secret },
      recorded: { accountId: account, detail: { webhook: data.id, url: wanted.url, kinds: wanted.kinds } },
    }
  },
})

const rotate = defineCommand({
  records: 'rotated the secret of a webhook',
  about: 'Makes a new secret of a webhook and prints it, this once; the old one signs beside it for a day unless told.',
  example: '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32 --account 2 --grace-hours 24',
  usage: `ID --account ID [--grace-hours ${SECRET_GRACE_HOURS.join('|')}]`,
  takesId: webhookId,
  flags: { account: id, graceHours: z.enum(SECRET_GRACE_HOURS.map(String)).transform(Number).default(24) },
  async run(context, { id: webhook, account, graceHours }) {
    const { data, secret } = await withWebhooks(context, account, (webhooks) =>
      webhooks.rotate({ accountId: account, id: webhook }, graceHours),
    )
    return { print: { ...data, secret }, recorded: { accountId: account } }
  },
})

const deliveries = defineCommand({
  records: null,
  about: 'Lists the last deliveries of a webhook, newest first, with bodies and answers.',
  example: '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32 --account 2 --state dead',
  usage: 'ID --account ID [--state waiting|delivered|dead]',
  takesId: webhookId,
  flags: {
    account: id,
    state: z.enum(['waiting', 'delivered', 'dead'], 'must be waiting, delivered or dead').optional(),
  },
  async run(context, { id: webhook, account, state }) {
    const own = { accountId: account, id: webhook }
    const { data } = await withWebhooks(context, account, (webhooks) => webhooks.deliveries(own, { state, limit: 200 }))
    return { print: data }
  },
})

const replay = defineCommand({
  records: 'replayed deliveries of a webhook',
  about: 'Makes deliveries again: those of what happened in a span of time, given up or delivered.',
  example: '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32 --account 2 --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z',
  usage: 'ID --account ID --from T --to T [--state delivered|dead]',
  takesId: webhookId,
  flags: {
    account: id,
    from: moment,
    to: moment,
    state: z.enum(['delivered', 'dead'], 'must be delivered or dead').optional(),
  },
  async run(context, { id: webhook, account, ...span }) {
    const own = { accountId: account, id: webhook }
    const replayed = await withWebhooks(context, account, (webhooks) => webhooks.replay(own, span))
    return { print: { replayed }, recorded: { accountId: account, detail: { replayed } } }
  },
})

const remove = defineCommand({
  records: 'removed a webhook',
  about: 'Removes a webhook with its deliveries.',
  example: '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32 --account 2',
  usage: 'ID --account ID',
  takesId: webhookId,
  flags: { account: id },
  async run(context, { id: webhook, account }) {
    await withWebhooks(context, account, (webhooks) => webhooks.remove({ accountId: account, id: webhook }))
    return { print: { removed: webhook }, recorded: { accountId: account } }
  },
})

export const webhookCommands: Readonly<Record<string, Command>> = {
  'webhook list': list,
  'webhook create': create,
  'webhook rotate': rotate,
  'webhook deliveries': deliveries,
  'webhook replay': replay,
  'webhook remove': remove,
}
