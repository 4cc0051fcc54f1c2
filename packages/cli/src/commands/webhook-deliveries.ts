import { endpoints, isDay, type WebhookDelivery } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'

const columns: readonly Column<WebhookDelivery>[] = [
  textColumn('id', ({ id }) => id, { isWhole: true }),
  textColumn('happened UTC', ({ at }) => at, { isWhole: true, spare: 4 }),
  textColumn('kind', ({ kind }) => kind),
  textColumn('subject', ({ subject }) => subject, { spare: 'csv' }),
  textColumn('state', ({ state }) => state),
  figureColumn('attempts', ({ attempts }) => String(attempts), undefined, { spare: 3 }),
  figureColumn('status', ({ status }) => String(status ?? ''), undefined, { spare: 1 }),
  textColumn('error', ({ error }) => error ?? '', { spare: 2 }),
  textColumn('answer', ({ response }) => response ?? '', { spare: 6 }),
  textColumn('last attempt', ({ lastAttemptAt }) => lastAttemptAt ?? '', { spare: 'csv' }),
  textColumn('next attempt', ({ nextAttemptAt }) => nextAttemptAt ?? '', { isWhole: true, spare: 5 }),
  textColumn('event', ({ messageId }) => messageId, { spare: 'csv' }),
  textColumn('body', ({ body }) => body, { spare: 'csv' }),
]

const testing = defineCommand({
  name: 'webhook test',
  about: `Sends an event of the kind webhook.test to a webhook. ${priceOf(endpoints.testWebhook)}.`,
  operands: 'ID',
  printsRows: false,
  options: {},
  examples: ['ID'],
  async run({ service, host, output, operands: [webhookId = ''] }) {
    await service().client.testWebhook({ params: { webhookId } }, { signal: host.signal })
    await output.note(`The event is queued. "coffer webhook deliveries ${webhookId}" shows the result.`)
  },
})

const listing = defineCommand({
  name: 'webhook deliveries',
  about: `Lists the deliveries of the last 30 days and their responses, newest first. ${priceOf(endpoints.listWebhookDeliveries)}.`,
  operands: 'ID',
  printsRows: true,
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      about: 'Only deliveries in this state.',
      choices: ['waiting', 'delivered', 'dead'],
    },
    limit: { type: 'string', value: 'N', about: 'Maximum deliveries, up to 200. Default: 50.' },
    before: { type: 'string', value: 'ID', about: 'Value that the previous page gave for the next one.' },
  },
  further: '--csv and --json include the bodies.',
  examples: ['ID', 'ID --state dead --csv > dead.csv'],
  async run({ operands, values, output, service, host }) {
    const { client, lastJson } = service()
    const [webhookId = ''] = operands
    const { state, limit, before } = values
    const query = {
      ...(state !== undefined && { state }),
      ...(limit !== undefined && { limit }),
      ...(before !== undefined && { before }),
    }
    const page = await client.listWebhookDeliveries(
      { params: { webhookId }, query: query as never },
      { signal: host.signal },
    )
    await output.print({ json: lastJson(), columns, rows: page.data, empty: 'No deliveries.' })
    if (page.next !== null) await output.note(`More deliveries follow: --before ${page.next}`)
  },
})

const REPLAY = {
  from: { type: 'string', value: 'DATE', about: 'Not before this day or time (ISO 8601, days of UTC).' },
  to: { type: 'string', value: 'DATE', about: 'Not after the end of this day, or this time.' },
  state: { type: 'string', value: 'STATE', about: 'Only deliveries in this state.', choices: ['delivered', 'dead'] },
} as const

const replaying = defineCommand({
  name: 'webhook replay',
  about: `Sends one delivery again, or all deliveries of events in a period. ${priceOf(endpoints.replayWebhook)}.`,
  operands: 'ID [DELIVERY]',
  printsRows: true,
  options: REPLAY,
  further: 'Events keep their ids, so that a receiver recognises repeated ones.',
  examples: ['ID 17', 'ID --from 2026-01-01 --to 2026-01-02 --state dead'],
  async run(call) {
    const { service, host, output } = call
    const { client, lastJson } = service()
    const [webhookId = ''] = call.operands
    const asked = { params: { webhookId }, body: replayOf(call) }
    const { data } = await client.replayWebhook(asked as never, { signal: host.signal })
    await output.print({
      json: lastJson(),
      columns: [figureColumn<typeof data>('replayed', ({ replayed }) => String(replayed))],
      rows: [data],
    })
  },
})

function replayOf({ operands, values }: Call<typeof REPLAY>): object {
  const [, deliveryId] = operands
  const { from, to, state } = values
  const isSpan = from !== undefined && to !== undefined
  if (deliveryId === undefined ? !isSpan : from !== undefined || to !== undefined || state !== undefined)
    throw usageProblem('Give the id of a delivery, or --from and --to. See "coffer webhook replay --help".')
  if (!isSpan) return { deliveryId }
  return {
    from: momentOf(from, 'T00:00:00.000Z'),
    to: momentOf(to, 'T23:59:59.999Z'),
    ...(state !== undefined && { state }),
  }
}

/** Parses a day, with `timeOfDay`, or a time with its zone. Returns ISO 8601 with milliseconds. */
function momentOf(text: string, timeOfDay: string): string {
  if (isDay(text)) return `${text}${timeOfDay}`
  const time = /T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw usageProblem(`"${text}" is neither a day such as 2026-01-02 nor a time with its zone.`)
  return new Date(time).toISOString()
}

export const deliveryCommands = [testing, listing, replaying]
