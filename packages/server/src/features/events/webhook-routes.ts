import { EVENT_KINDS, type webhookEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Webhooks } from './webhooks.ts'

export function webhookRoutes({ webhooks }: { webhooks: Webhooks }): Handlers<typeof webhookEndpoints> {
  const own = ({ caller, params }: { caller: { accountId: string }; params: { webhookId: string } }) => ({
    accountId: caller.accountId,
    id: params.webhookId,
  })
  return {
    listWebhooks: async ({ caller }) => ({ data: await webhooks.list(caller.accountId), kinds: [...EVENT_KINDS] }),
    createWebhook: ({ caller, body }) => webhooks.create(caller.accountId, body),
    updateWebhook: async (call) => ({ data: await webhooks.change(own(call), call.body) }),
    removeWebhook: (call) => webhooks.remove(own(call)),
    rotateWebhookSecret: (call) => webhooks.rotate(own(call), call.body.graceHours),
    testWebhook: async (call) => {
      await webhooks.test(own(call))
      return { data: { sent: true } }
    },
    listWebhookDeliveries: (call) => webhooks.deliveries(own(call), call.query),
    replayWebhook: async (call) => ({ data: { replayed: await webhooks.replay(own(call), call.body) } }),
  }
}
