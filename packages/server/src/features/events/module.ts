import { EVENT_KINDS } from '@coffer/contract'
import { httpRequest } from '../../lib/http-client.ts'
import { createReach } from '../../lib/public-network.ts'
import type { Module, Ports } from '../module.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { createDeliveries } from './deliveries.ts'
import { pruneEvents } from './delivery-queue-store.ts'
import {
  createWebhook,
  listDeliveries,
  removeWebhook,
  replayDeliveries,
  rotateSecret,
  selectWebhooks,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

const RETENTION = { name: 'event-retention', options: { retryLimit: 0 }, everySeconds: 24 * 3_600 }
const KEPT_DAYS = 30

type OwnPorts = Ports & {
  config: { roles: ReadonlySet<'api' | 'worker'>; webhookNetworks: readonly string[] }
  vault: SecretVault
}

export function eventModule({ config, database: { db }, vault, clock, logger: log }: OwnPorts) {
  const context = { db, vault, reach: createReach(config.webhookNetworks) }
  const deliveries = createDeliveries({ ...context, request: httpRequest, clock, log })
  type Call = { caller: { accountId: string }; params: { webhookId: string } }
  const own = ({ caller: { accountId }, params: { webhookId: id } }: Call) => ({ accountId, id })
  return {
    handlers: {
      listWebhooks: async ({ caller }) => ({
        data: await selectWebhooks(db, caller.accountId),
        kinds: [...EVENT_KINDS],
      }),
      createWebhook: ({ caller, body }) => createWebhook(context, caller.accountId, body),
      updateWebhook: async (call) => ({ data: await updateWebhook(context, own(call), call.body) }),
      removeWebhook: (call) => removeWebhook(context, own(call)),
      rotateWebhookSecret: (call) => rotateSecret(context, own(call), call.body.graceHours),
      testWebhook: async (call) => {
        await testWebhook(context, own(call))
        return { data: { sent: true } }
      },
      listWebhookDeliveries: (call) => listDeliveries(context, own(call), call.query),
      replayWebhook: async (call) => ({ data: { replayed: await replayDeliveries(context, own(call), call.body) } }),
    },
    jobs: [{ ...RETENTION, handler: () => pruneEvents(db, KEPT_DAYS) }],
    start: () => {
      if (config.roles.has('worker')) deliveries.start()
    },
    close: deliveries.stop,
  } satisfies Module
}
