import { newWatch, watchEndpoints, webhookEndpoints } from '@coffer/contract'
import { ofAccount } from '@coffer/contract/portal'
import { z } from 'zod'
import {
  createWebhook,
  listDeliveries,
  removeWebhook,
  replayDeliveries,
  rotateSecret,
  selectWebhooks,
  type Webhooks,
} from '../features/events/webhooks.ts'
import { selectWatches } from '../features/watches/watch-store.ts'
import { createWatch, removeWatch, type WatchFacts } from '../features/watches/watches.ts'
import { createReach } from '../lib/public-network.ts'
import { type AdminContext, type Command, commandOf, defineCommand } from './command.ts'
import { commandChainTypes, id, read } from './command-input.ts'

const webhooks = ofAccount(webhookEndpoints)
const ID = '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32'

async function openWebhooks({ db, vault, config }: AdminContext): Promise<Webhooks> {
  return { db, vault: await vault(), reach: createReach(config().webhookNetworks) }
}

const { addresses } = commandChainTypes
const watches = ofAccount(watchEndpoints(addresses))
const wanted = newWatch(addresses)
const part = z.string().optional()

function factsOf({ config }: AdminContext): WatchFacts {
  const { chains, endpoints, beacon } = config()
  const enabled = chains.filter(({ key }) => endpoints.has(key))
  return { chains: enabled, chainTypes: commandChainTypes, hasBeacon: beacon !== null }
}

/** Entitlements are left to the operator. */
export const eventCommands: Readonly<Record<string, Command>> = {
  'webhook list': commandOf(webhooks.listWebhooks, {
    example: '--account 2',
    run: async ({ db }, { account }) => ({ print: await selectWebhooks(db, account) }),
  }),
  'webhook create': commandOf(webhooks.createWebhook, {
    records: 'created a webhook',
    example: '--account 2 --url https://hooks.example.com/coffer --kinds sync.ended,snapshot.missed',
    async run(context, { account, url, kinds }) {
      const { data, secret } = await createWebhook(await openWebhooks(context), account, { url, kinds })
      return { print: { ...data, secret }, recorded: { detail: { webhook: data.id, url, kinds } } }
    },
  }),
  'webhook rotate': commandOf(webhooks.rotateWebhookSecret, {
    records: 'rotated the secret of a webhook',
    example: `${ID} --account 2 --grace-hours 24`,
    async run(context, { account: accountId, id, graceHours }) {
      const { data, secret } = await rotateSecret(await openWebhooks(context), { accountId, id }, graceHours)
      return { print: { ...data, secret } }
    },
  }),
  'webhook deliveries': commandOf(
    { ...webhooks.listWebhookDeliveries, query: webhooks.listWebhookDeliveries.query.pick({ state: true }) },
    {
      example: `${ID} --account 2 --state dead`,
      async run(context, { account: accountId, id, state }) {
        const { data } = await listDeliveries(await openWebhooks(context), { accountId, id }, { state, limit: 200 })
        return { print: data }
      },
    },
  ),
  'webhook replay': commandOf(
    {
      ...webhooks.replayWebhook,
      body: webhooks.replayWebhook.body.options[1],
      description: 'In order, with their former IDs.',
    },
    {
      records: 'replayed deliveries of a webhook',
      example: `${ID} --account 2 --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z`,
      async run(context, { account: accountId, id, ...span }) {
        const replayed = await replayDeliveries(await openWebhooks(context), { accountId, id }, span)
        return { print: { replayed }, recorded: { detail: { replayed } } }
      },
    },
  ),
  'webhook remove': commandOf(webhooks.removeWebhook, {
    records: 'removed a webhook',
    example: `${ID} --account 2`,
    async run(context, { account: accountId, id }) {
      await removeWebhook(await openWebhooks(context), { accountId, id })
      return { print: { removed: id } }
    },
  }),
  'watch list': commandOf(watches.listWatches, {
    example: '--account 2',
    run: async ({ db }, { account }) => ({ print: await selectWatches(db, account) }),
  }),
  /** The type decides which of the flags are needed. */
  'watch create': defineCommand({
    records: 'created a watch',
    about: `${watches.createWatch.summary}.`,
    details: watches.createWatch.description,
    example:
      '--account 2 --type netWorth --address 0xc0ffee0000000000000000000000000000000001 --direction below --threshold 1000',
    usage:
      '--account ID --type netWorth|balance|credits|validator|airdrops [--address A] [--chain C --contract T] [--direction above|below --threshold N] [--validator V]',
    flags: {
      account: id,
      type: z.string(),
      address: part,
      chain: part,
      contract: part,
      direction: part,
      threshold: part,
      validator: part,
    },
    async run(context, { account, id: _, ...given }) {
      const watch = await createWatch(context.db, factsOf(context), account, read(wanted, given))
      return { print: watch, recorded: { detail: { watch: watch.id } } }
    },
  }),
  'watch remove': commandOf(watches.removeWatch, {
    records: 'removed a watch',
    example: '3e9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b43 --account 2',
    async run({ db }, { account: accountId, id }) {
      await removeWatch(db, { accountId, id })
      return { print: { removed: id } }
    },
  }),
}
