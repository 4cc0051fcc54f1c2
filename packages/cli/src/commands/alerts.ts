import { endpoints, type Watch, type WatchGap, type WatchType } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { quantity } from '../output/figures.ts'
import { shortened } from '../output/visible-text.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'
import { walletOf } from '../wallets.ts'

const subjectOf = ({ address, validator }: Watch) => address ?? validator ?? ''

const columns: readonly Column<Watch>[] = [
  textColumn('id', ({ id }) => id, { isWhole: true }),
  textColumn('type', ({ type }) => type, { isWhole: true }),
  textColumn('subject', subjectOf, { brief: (watch) => shortened(subjectOf(watch)), isWhole: true, spare: 1 }),
  textColumn('chain', ({ chain }) => chain ?? '', { spare: 4 }),
  textColumn('contract', ({ contract }) => contract ?? '', {
    brief: ({ contract }: Watch) => shortened(contract ?? ''),
    isWhole: true,
    spare: 5,
  }),
  textColumn('when', ({ direction }) => direction ?? '', { isWhole: true }),
  figureColumn('threshold', ({ threshold }) => threshold ?? '', quantity),
  textColumn('state', ({ state }) => state, { isWhole: true, spare: 3 }),
  figureColumn('value', ({ value }) => value, quantity, { spare: 2 }),
  textColumn('checked UTC', ({ checkedAt }) => checkedAt ?? '', { isWhole: true, spare: 6 }),
  textColumn('made', ({ createdAt }) => createdAt, { spare: 'csv' }),
]

const gapText = ({ chain, protocol, contract, reason }: WatchGap) =>
  [chain, protocol, contract, reason].filter((part) => part !== undefined).join(' ')

async function showAlerts({ output, service }: Call, rows: readonly Watch[]): Promise<void> {
  await output.print({ json: service().lastJson(), columns, rows, empty: 'No alerts.' })
  for (const { id, incomplete } of rows) {
    if (incomplete.length > 0)
      await output.missing(
        `Incomplete: the last check of ${id} was inconclusive: ${incomplete.map(gapText).join(', ')}.`,
      )
  }
}

type Needs = {
  subject?: 'ADDRESS' | 'VALIDATOR'
  /** Exactly one of these options. */
  limits?: readonly string[]
  /** All of these options. */
  token?: readonly string[]
}

const NEEDS: Readonly<Record<WatchType, Needs>> = {
  netWorth: { subject: 'ADDRESS', limits: ['below', 'above'] },
  balance: { subject: 'ADDRESS', limits: ['below', 'above'], token: ['chain', 'contract'] },
  credits: { limits: ['below'] },
  validator: { subject: 'VALIDATOR' },
  airdrops: { subject: 'ADDRESS' },
}
const TYPES = Object.keys(NEEDS)
const isType = (text: string): text is WatchType => Object.hasOwn(NEEDS, text)

const OPTIONS = {
  below: { type: 'string', value: 'N', about: 'Alerts below this value: USD, token units or credits.' },
  above: { type: 'string', value: 'N', about: 'Alerts above this value: USD or token units.' },
  chain: { type: 'string', value: 'CHAIN', about: 'The chain of a balance.' },
  contract: { type: 'string', value: 'ADDRESS', about: 'The token of a balance; all zeros for the native coin.' },
} as const

type NewAlert = Call<typeof OPTIONS>

function checkOptions(type: WatchType, values: NewAlert['values']): void {
  const { limits = [], token = [] } = NEEDS[type]
  const given = Object.keys(OPTIONS).filter((name) => values[name as keyof typeof OPTIONS] !== undefined)
  const stray = given.find((name) => !limits.includes(name) && !token.includes(name))
  if (stray !== undefined) throw usageProblem(`${type} takes no --${stray}.`)
  const missing = token.find((name) => !given.includes(name))
  if (missing !== undefined) throw usageProblem(`${type} needs --${missing}.`)
  if (limits.length > 0 && given.filter((name) => limits.includes(name)).length !== 1)
    throw usageProblem(`${type} needs ${limits.map((name) => `--${name}`).join(' or ')} with a number.`)
}

function termsOf(type: WatchType, { below, above, chain, contract }: NewAlert['values']): object {
  const threshold = below ?? above
  if (threshold === undefined) return {}
  if (type === 'credits') return { threshold }
  const token = type === 'balance' && { chain, contract }
  return { direction: below === undefined ? 'above' : 'below', threshold, ...token }
}

async function subjectPart(call: NewAlert, type: WatchType): Promise<object> {
  const [, subject] = call.operands
  const needed = NEEDS[type].subject
  if (needed === undefined && subject !== undefined) throw usageProblem(`Unexpected argument ${subject}.`)
  if (needed !== undefined && subject === undefined) throw usageProblem(`${type} needs ${needed}.`)
  if (subject === undefined) return {}
  return needed === 'VALIDATOR' ? { validator: subject } : { address: await walletOf(call as Call, [subject]) }
}

async function bodyOf(call: NewAlert): Promise<object> {
  const [type = ''] = call.operands
  if (!isType(type)) throw usageProblem(`TYPE must be one of ${TYPES.join(', ')}.`)
  checkOptions(type, call.values)
  return { type, ...termsOf(type, call.values), ...(await subjectPart(call, type)) }
}

export const alertCommands = [
  defineCommand({
    name: 'alert list',
    about: `Lists the alerts of the account with their last values. ${priceOf(endpoints.listWatches)}.`,
    operands: '',
    printsRows: true,
    options: {},
    examples: ['', '--json'],
    async run(call) {
      await showAlerts(call, (await call.service().client.listWatches({}, { signal: call.host.signal })).data)
    },
  }),
  defineCommand({
    name: 'alert add',
    about: `Adds an alert for a threshold, a validator, or the airdrops of a wallet. ${priceOf(endpoints.createWatch)}.`,
    operands: 'TYPE [SUBJECT]',
    printsRows: true,
    options: OPTIONS,
    further: `TYPE is one of ${TYPES.join(', ')}.\nSUBJECT is the wallet, or the validator by index or public key; credits have none.\nWebhooks of the kind ("coffer webhook add") and "coffer watch" report alerts.`,
    examples: [
      'netWorth 0x… --below 10000',
      'balance 0x… --chain ethereum --contract 0x… --above 2.5',
      'credits --below 1000',
      'validator 123456',
      'airdrops @solana',
    ],
    async run(call) {
      const body = await bodyOf(call)
      const { client } = call.service()
      const { data } = await client.createWatch({ body: body as never }, { signal: call.host.signal })
      await showAlerts(call as Call, [data])
    },
  }),
  defineCommand({
    name: 'alert remove',
    about: `Removes an alert. It triggers no more events. ${priceOf(endpoints.removeWatch)}.`,
    operands: 'ID',
    printsRows: false,
    options: {},
    examples: ['ID'],
    async run({ service, host, output, operands: [watchId = ''] }) {
      await service().client.removeWatch({ params: { watchId } }, { signal: host.signal })
      await output.note(`The alert ${watchId} is removed.`)
    },
  }),
]
