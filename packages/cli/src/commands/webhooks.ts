import { EVENT_KINDS, endpoints, SECRET_GRACE_HOURS, type Webhook } from '@coffer/contract'
import { type Call, defineCommand, type Options } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'

const USUAL_GRACE = '24'

const columns: readonly Column<Webhook>[] = [
  textColumn('id', ({ id }) => id, { isWhole: true }),
  textColumn('URL', ({ url }) => url),
  textColumn('kinds', ({ kinds }) => kinds.join(' '), { spare: 3 }),
  textColumn('state', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
  figureColumn('waiting', ({ waiting }) => String(waiting), undefined, { spare: 2 }),
  figureColumn('dead', ({ dead }) => String(dead), undefined, { spare: 1 }),
  textColumn('old secret until', ({ oldSecretUntil }) => oldSecretUntil ?? '', { isWhole: true, spare: 4 }),
  textColumn('made', ({ createdAt }) => createdAt, { spare: 'csv' }),
]

const KINDS = {
  kinds: { type: 'string', value: 'KIND,…', about: 'Kinds of events to post.', choices: EVENT_KINDS },
} as const satisfies Options

/** The service checks them. */
const kindsOf = (list: string) => list.split(',') as Webhook['kinds']

async function showWebhooks({ output, service }: Call, rows: readonly Webhook[]): Promise<void> {
  await output.print({ json: service().lastJson(), columns, rows, empty: 'No webhooks.' })
}

/** Prints the secret as a line above the table, and as a column of CSV. */
async function showSecret({ output, service }: Call, { data, secret }: { data: Webhook; secret: string }) {
  await output.print({
    json: service().lastJson(),
    columns: [...columns, textColumn<Webhook>('secret', () => secret, { spare: 'csv' })],
    rows: [data],
    groups: [{ title: `secret  ${secret}`, rows: [data] }],
  })
  await output.note('The secret is shown only once. Give it to the receiver now.')
}

const listing = defineCommand({
  name: 'webhook list',
  about: `Lists the webhooks of the account, with their waiting and given-up deliveries. ${priceOf(endpoints.listWebhooks)}.`,
  operands: '',
  printsRows: true,
  options: {},
  examples: ['', '--json'],
  async run(call) {
    await showWebhooks(call, (await call.service().client.listWebhooks({}, { signal: call.host.signal })).data)
  },
})

const adding = defineCommand({
  name: 'webhook add',
  about: `Creates a webhook that posts events to a URL, and shows its secret once. ${priceOf(endpoints.createWebhook)}.`,
  operands: 'URL',
  printsRows: true,
  options: KINDS,
  examples: ['https://hooks.example.com/coffer --kinds transaction.found,sync.ended'],
  async run(call) {
    const { operands, values, service, host } = call
    const [url = ''] = operands
    if (values.kinds === undefined) throw usageProblem('--kinds is missing. See "coffer webhook add --help".')
    const body = { url, kinds: kindsOf(values.kinds) }
    await showSecret(call as Call, await service().client.createWebhook({ body }, { signal: host.signal }))
  },
})

const changing = defineCommand({
  name: 'webhook change',
  about: `Changes the URL or kinds of a webhook, stops it or starts it again. ${priceOf(endpoints.updateWebhook)}.`,
  operands: 'ID',
  printsRows: true,
  options: {
    ...KINDS,
    url: { type: 'string', value: 'URL', about: 'URL that receives the events, also the waiting ones.' },
    enable: { type: 'boolean', about: 'Starts the webhook; waiting deliveries continue.' },
    disable: {
      type: 'boolean',
      about: 'Stops the webhook. Waiting deliveries stay; events that happen meanwhile are not kept for it.',
    },
  },
  examples: ['ID --url https://hooks.example.com/other', 'ID --disable'],
  async run(call) {
    const { operands, values, service, host } = call
    const [webhookId = ''] = operands
    const { url, kinds, enable, disable } = values
    if (enable && disable) throw usageProblem('--enable and --disable exclude each other. Give one.')
    const body = {
      ...(url !== undefined && { url }),
      ...(kinds !== undefined && { kinds: kindsOf(kinds) }),
      ...((enable || disable) && { enabled: enable === true }),
    }
    if (Object.keys(body).length === 0) throw usageProblem('Give --url, --kinds, --enable or --disable.')
    const changed = await service().client.updateWebhook({ params: { webhookId }, body }, { signal: host.signal })
    await showWebhooks(call as Call, [changed.data])
  },
})

const removing = defineCommand({
  name: 'webhook remove',
  about: `Deletes a webhook with its deliveries. ${priceOf(endpoints.removeWebhook)}.`,
  operands: 'ID',
  printsRows: false,
  options: {},
  examples: ['ID'],
  async run({ service, host, output, operands: [webhookId = ''] }) {
    await service().client.removeWebhook({ params: { webhookId } }, { signal: host.signal })
    await output.note(`The webhook ${webhookId} is removed.`)
  },
})

const rotating = defineCommand({
  name: 'webhook rotate',
  about: `Creates a new secret for a webhook, and shows it once. ${priceOf(endpoints.rotateWebhookSecret)}.`,
  operands: 'ID',
  printsRows: true,
  options: {
    grace: {
      type: 'string',
      value: 'HOURS',
      about: `Hours for which the old secret also signs. Default: ${USUAL_GRACE}.`,
      choices: SECRET_GRACE_HOURS.map(String),
    },
  },
  examples: ['ID', 'ID --grace 0'],
  async run(call) {
    const { operands, values, service, host } = call
    const [webhookId = ''] = operands
    const { grace = USUAL_GRACE } = values
    const graceHours = SECRET_GRACE_HOURS.find((hours) => String(hours) === grace)
    if (graceHours === undefined) throw usageProblem(`--grace must be one of ${SECRET_GRACE_HOURS.join(', ')}.`)
    const asked = { params: { webhookId }, body: { graceHours } }
    await showSecret(call as Call, await service().client.rotateWebhookSecret(asked, { signal: host.signal }))
  },
})

export const webhookCommands = [listing, adding, changing, removing, rotating]
