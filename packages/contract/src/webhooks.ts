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
  'Where events are posted to: an https URL without credentials or fragment.',
)

const webhook = z
  .object({
    id: z.string().describe('The id of the webhook.'),
    url: z.string().describe('Where events are posted to.'),
    kinds: z.array(z.enum(EVENT_KINDS)).describe('The kinds of events that are posted.'),
    enabled: z.boolean().describe('`false`: nothing is sent; events that happen meanwhile are not kept for it.'),
    createdAt: moment.describe('When it was made.'),
    oldSecretUntil: moment.nullable().describe('Until when the secret before signs too; null without one.'),
    waiting: z.int().describe('Deliveries that are still to be made.'),
    dead: z.int().describe('Deliveries that were given up; they can be replayed.'),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhook>

const withSecret = z.object({ data: webhook, secret: z.string().describe('`whsec_…`, shown this once.') })

const delivery = z
  .object({
    id: z.string().describe('The id of the delivery.'),
    messageId: z.string().describe('The header `webhook-id`: the same at each attempt and each replay.'),
    kind: z.string().describe('The kind of the event.'),
    subject: z.string().describe('Deliveries of one subject are made in order.'),
    state: z.enum(['waiting', 'delivered', 'dead']).describe('How far it is; `dead`: given up.'),
    at: moment.describe('When it happened.'),
    attempts: z.int().describe('Attempts so far.'),
    lastAttemptAt: moment.nullable().describe('When it was last tried; null where it was not.'),
    nextAttemptAt: moment
      .nullable()
      .describe('When its subject is tried next; null where it does not wait, and while the webhook is stopped.'),
    status: z.int().nullable().describe('HTTP status of the last answer; null where there was none.'),
    error: z.string().nullable().describe('Why the last attempt failed; null where it did not.'),
    body: z.string().describe('The body as it is sent.'),
    response: z.string().nullable().describe('The first 1,000 characters of the last answer.'),
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
    description: 'The webhooks of the account, oldest first, and the kinds of events that they can be for.',
    status: 200,
    response: z.object({
      data: z.array(webhook),
      kinds: z.array(z.enum(EVENT_KINDS)).describe('The kinds of events that there are.'),
    }),
  },
  createWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    description:
      'Events of these kinds are posted to the URL from now on, signed by the Standard Webhooks specification. The secret is in this answer and nowhere else.',
    status: 201,
    failures: [422],
    body: z.object({ url, kinds: kinds.describe('What is posted.') }),
    response: withSecret,
  },
  updateWebhook: {
    ...shared,
    method: 'PATCH',
    path: '/v1/webhooks/:webhookId',
    summary: 'Change a webhook',
    description: 'Changes what is given. Deliveries that wait go to the new URL.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z
      .object({
        url: url.optional(),
        kinds: kinds.optional().describe('What is posted.'),
        enabled: z.boolean().optional().describe('`false` stops the webhook; what waits goes on once it is enabled.'),
      })
      .refine((body) => Object.values(body).some((value) => value !== undefined), 'must change something'),
    response: z.object({ data: webhook }),
  },
  removeWebhook: {
    ...shared,
    method: 'DELETE',
    path: '/v1/webhooks/:webhookId',
    summary: 'Delete a webhook',
    description: 'Removes a webhook with its deliveries.',
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
    description: 'Makes a new secret. The old one signs beside it for the hours of grace; one before it ends at once.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z.object({
      graceHours: z
        .literal(SECRET_GRACE_HOURS, { error: `must be one of ${SECRET_GRACE_HOURS.join(', ')}` })
        .default(24)
        .describe('Hours for which the old secret signs too.'),
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
    description:
      'Sends an event of the kind `webhook.test` to this webhook alone; its deliveries tell what came of it.',
    status: 200,
    failures: [404],
    params: webhookPath,
    response: z.object({ data: z.object({ sent: z.literal(true).describe('It is on its way.') }) }),
  },
  listWebhookDeliveries: {
    ...shared,
    method: 'GET',
    path: '/v1/webhooks/:webhookId/deliveries',
    summary: 'List deliveries of a webhook',
    description: 'Newest first, of the last 30 days.',
    status: 200,
    failures: [404],
    params: webhookPath,
    query: z.object({
      state: z
        .enum(['waiting', 'delivered', 'dead'], 'must be one of waiting, delivered, dead')
        .optional()
        .describe('Those of one state alone.'),
      before: rowId.optional().describe('The `next` of the page before.'),
      limit: integerQuery({ min: 1, max: 200 }).default(50).describe('Most deliveries of an answer.'),
    }),
    response: z.object({
      data: z.array(delivery),
      next: z.string().nullable().describe('Give it as `before` for older ones; null: there are none.'),
    }),
  },
  replayWebhook: {
    ...shared,
    method: 'POST',
    path: '/v1/webhooks/:webhookId/replay',
    summary: 'Replay deliveries of a webhook',
    description:
      'Makes one delivery again, or those of what happened in a span of time, in order. They have the ids that they had.',
    status: 200,
    failures: [404],
    params: webhookPath,
    body: z.union(
      [
        z.strictObject({ deliveryId: rowId.describe('The one delivery.') }).meta({ id: 'ReplayOfDelivery' }),
        z
          .strictObject({
            from: moment.describe('The first moment of the span.'),
            to: moment.describe('The last moment of the span.'),
            state: z.enum(['delivered', 'dead']).optional().describe('Those of one state alone.'),
          })
          .meta({ id: 'ReplayOfSpan' }),
      ],
      { error: 'must have a deliveryId, or from and to as times with milliseconds, e.g. 2026-01-02T03:04:05.678Z' },
    ),
    response: z.object({ data: z.object({ replayed: z.int().describe('Deliveries that wait again.') }) }),
  },
})

export const webhookEndpoints = { ...settings, ...deliveries }
