import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'
import { EVENT_KINDS } from './events.ts'
import { integerQuery } from './query.ts'
import { text } from './text.ts'

const URL_MAX = 2_000
/** In hours. */
export const SECRET_GRACE_HOURS = [0, 1, 24, 168] as const

const moment = z.iso.datetime({ precision: 3 })
const kind = z.enum(EVENT_KINDS, `must be one of ${EVENT_KINDS.join(', ')}`)
const kinds = z
  .array(kind, { error: 'must be a list of kinds' })
  .min(1, 'must name at least one kind')
  .refine((all) => new Set(all).size === all.length, 'must name each kind once')
const url = text({ min: 1, max: URL_MAX, trim: true }).describe(
  'URL that receives the events: https, without credentials or fragment.',
)

const webhook = z
  .object({
    id: z.string().describe('The id of the webhook.'),
    url: z.string().describe('URL that receives the events.'),
    kinds: z.array(z.enum(EVENT_KINDS)).describe('Kinds of events to post.'),
    enabled: z
      .boolean()
      .describe('`false`: nothing is sent, and events that happen meanwhile are not kept for the webhook.'),
    createdAt: moment.describe('Time of creation.'),
    oldSecretUntil: moment
      .nullable()
      .describe('Time until which the previous secret also signs; null without a previous secret.'),
    waiting: z.int().describe('Waiting deliveries, counted up to 1,000.'),
    dead: z.int().describe('Deliveries that were given up, counted up to 1,000; they can be replayed.'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhook>

const withSecret = z.object({ data: webhook, secret: z.string().describe('`whsec_…`, shown only once.') })

const delivery = z
  .object({
    id: z.string().describe('The id of the delivery.'),
    messageId: z.string().describe('The header `webhook-id`: the same at each attempt and each replay.'),
    kind: z.string().describe('The kind of the event.'),
    subject: z.string().describe('Deliveries of one subject are made in order.'),
    state: z.enum(['waiting', 'delivered', 'dead']).describe('State of the delivery; `dead`: given up.'),
    at: moment.describe('Time of the event.'),
    attempts: z.int().describe('Attempts so far.'),
    lastAttemptAt: moment.nullable().describe('Time of the last attempt; null if there was no attempt.'),
    nextAttemptAt: moment
      .nullable()
      .describe(
        'Time of the next attempt for its subject; null if the delivery is not waiting, and while the webhook is stopped.',
      ),
    status: z.int().nullable().describe('HTTP status of the last response; null if there was no response.'),
    error: z.string().nullable().describe('Why the last attempt failed; null if it did not fail.'),
    body: z.string().describe('The body as sent.'),
    response: z.string().nullable().describe('The first 1,000 characters of the last response.'),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof delivery>

const shared = { cost: 0, bucket: 'default', requires: 'key', errors: 'coded', tag: 'Webhooks' } as const
/** Any text: an invalid ID is a webhook that does not exist. */
const webhookPath = z.object({ webhookId: z.string().describe('The id of the webhook.') })
const rowId = z.string().regex(/^[1-9]\d{0,17}$/, 'must be an id')

const settings = defineEndpoints({
  listWebhooks: {
    ...shared,
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks',
    description: 'Returns the webhooks of the account, oldest first, and the available kinds of events.',
    status: 200,
    response: z.object({
      data: z.array(webhook),
      kinds: z.array(z.enum(EVENT_KINDS)).describe('Available kinds of events.'),
    }),
  },
  createWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    description:
      'Creates a webhook. Coffer posts events of these kinds to the URL from now on, signed as in the Standard Webhooks specification. Only this answer shows the secret.',
    status: 201,
    failures: [422],
    body: z.object({ url, kinds: kinds.describe('Kinds of events to post.') }),
    response: withSecret,
  },
  updateWebhook: {
    ...shared,
    method: 'PATCH',
    path: '/v1/webhooks/:webhookId',
    summary: 'Change a webhook',
    description: 'Changes the given fields. Waiting deliveries go to the new URL.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z
      .object({
        url: url.optional(),
        kinds: kinds.optional().describe('Kinds of events to post.'),
        enabled: z
          .boolean()
          .optional()
          .describe('`false` stops the webhook; waiting deliveries continue once it is enabled.'),
      })
      .refine((body) => Object.values(body).some((value) => value !== undefined), 'must change something'),
    response: z.object({ data: webhook }),
  },
  removeWebhook: {
    ...shared,
    method: 'DELETE',
    path: '/v1/webhooks/:webhookId',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook with its deliveries.',
    status: 204,
    failures: [404],
    params: webhookPath,
    response: z.void(),
  },
  rotateWebhookSecret: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks/:webhookId/rotate',
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a new secret. The old secret also signs for the hours of grace; any secret before the old one ends immediately.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z.object({
      graceHours: z
        .literal(SECRET_GRACE_HOURS, { error: `must be one of ${SECRET_GRACE_HOURS.join(', ')}` })
        .default(24)
        .describe('Hours for which the old secret also signs.'),
    }),
    response: withSecret,
  },
})

const deliveries = defineEndpoints({
  testWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks/:webhookId/test',
    summary: 'Test a webhook',
    description: 'Sends an event of the kind `webhook.test` to this webhook only. Its deliveries show the result.',
    status: 200,
    failures: [404],
    params: webhookPath,
    response: z.object({ data: z.object({ sent: z.literal(true).describe('Whether the event was queued.') }) }),
  },
  listWebhookDeliveries: {
    ...shared,
    method: 'GET',
    path: '/v1/webhooks/:webhookId/deliveries',
    summary: 'List deliveries of a webhook',
    description: 'Returns the deliveries of the last 30 days, newest first.',
    status: 200,
    failures: [404],
    params: webhookPath,
    query: z.object({
      state: z
        .enum(['waiting', 'delivered', 'dead'], 'must be one of waiting, delivered, dead')
        .optional()
        .describe('Only deliveries in this state.'),
      before: rowId.optional().describe('`next` of the previous page.'),
      limit: integerQuery({ min: 1, max: 200 }).default(50).describe('Maximum deliveries per answer.'),
    }),
    response: z.object({
      data: z.array(delivery),
      next: z.string().nullable().describe('Pass this as `before` for older deliveries; null if there are no more.'),
    }),
  },
  replayWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks/:webhookId/replay',
    summary: 'Replay deliveries of a webhook',
    description:
      'Sends one delivery again, or all deliveries of events in a period, in order. Deliveries keep their ids.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z.union(
      [
        z.strictObject({ deliveryId: rowId.describe('The delivery to send again.') }).meta({ id: 'ReplayOfDelivery' }),
        z
          .strictObject({
            from: moment.describe('Start of the period, inclusive.'),
            to: moment.describe('End of the period, inclusive.'),
            state: z.enum(['delivered', 'dead']).optional().describe('Only deliveries in this state.'),
          })
          .meta({ id: 'ReplayOfSpan' }),
      ],
      { error: 'must have a deliveryId, or from and to as times with milliseconds, e.g. 2026-01-02T03:04:05.678Z' },
    ),
    response: z.object({ data: z.object({ replayed: z.int().describe('Deliveries queued again.') }) }),
  },
})

export const webhookEndpoints = { ...settings, ...deliveries }
