import { setTimeout as wait } from 'node:timers/promises'
import { CofferError, ConnectionError } from '@coffer/client'
import { EVENT_KINDS, endpoints, type Transaction } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { listen, type StreamEvent } from '../event-stream.ts'
import { type Column, textColumn } from '../output/column.ts'
import { priceOf } from '../price.ts'
import { EXIT, Problem, usageProblem } from '../problem.ts'
import { walletsOf } from '../wallets.ts'

const MS_PER_SECOND = 1_000
const POLL_SECONDS = 60
const NEWEST = 50
const PRICE = priceOf(endpoints.listTransactions)
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

type Facts = Readonly<Record<string, unknown>>
type Happened = { id: string; json: string; kind: string; timestamp: string; data: Facts }

const OPTIONS = {
  kinds: { type: 'string', value: 'KIND,…', about: 'Only these kinds.', choices: EVENT_KINDS },
  after: { type: 'string', value: 'ID', about: 'Starts after this event, e.g. evt_17, up to 30 days ago.' },
  count: { type: 'string', value: 'N', about: 'Ends after this number of events.' },
  poll: {
    type: 'string',
    value: 'SECONDS',
    about: `Requests transactions at this interval in seconds instead. ${PRICE} each time.`,
  },
} as const

type WatchCall = Call<typeof OPTIONS>

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const addressOf = ({ data }: Happened) => (typeof data['address'] === 'string' ? data['address'] : '')
const detailOf = ({ data }: Happened) =>
  Object.entries(data)
    .filter(([name, value]) => name !== 'address' && value !== null)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join('  ')

const columns: readonly Column<Happened>[] = [
  textColumn('time UTC', ({ timestamp }) => timestamp),
  textColumn('kind', ({ kind }) => kind),
  textColumn('address', addressOf),
  textColumn('detail', detailOf),
  textColumn('id', ({ id }) => id),
]

export const watchCommand = defineCommand({
  name: 'watch',
  about: 'Prints events as they happen, until interrupted. Free.',
  operands: '[ADDRESS…]',
  printsRows: true,
  options: OPTIONS,
  further:
    'An account receives events of wallets that it has saved ("coffer wallet add") or pays syncs of. If the service has no\nstream of events, the command requests transactions every 60 seconds.',
  examples: ['', '0x… --kinds transaction.found --json', '--after evt_17 --csv', '0x… --poll 300'],
  async run(call) {
    const { values, output } = call
    const addresses = await walletsOf(call as Call)
    const isWanted = await filterOf(call, addresses)
    let left = values.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--count', values.count)
    await output.begin(columns)
    for await (const happened of values.poll === undefined ? events(call, addresses) : polled(call, addresses)) {
      if (!isWanted(happened)) continue
      await output.printLine({ json: happened.json, columns, row: happened })
      left -= 1
      if (left <= 0) return
    }
  },
})

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw usageProblem(`${name} must be a whole number of at least 1.`)
}

/** EVM addresses are equal in any case. */
const spelled = (address: string) => (address.startsWith('0x') ? address.toLowerCase() : address)

async function filterOf({ values, output }: WatchCall, addresses: readonly string[]) {
  const wallets = new Set(addresses.map(spelled))
  const kinds = values.kinds === undefined ? undefined : new Set(values.kinds.split(','))
  const known: ReadonlySet<string> = new Set(EVENT_KINDS)
  const unknown = [...(kinds ?? [])].filter((kind) => !known.has(kind))
  if (unknown.length > 0) await output.note(`Unknown kinds, perhaps misspelt: ${unknown.join(', ')}.`)
  return (happened: Happened) =>
    (wallets.size === 0 || wallets.has(spelled(addressOf(happened)))) &&
    (kinds === undefined || kinds.has(happened.kind))
}

/** State between two streams. */
type Position = { lastId: string | undefined; hasListened: boolean; waitMs: number }

/** Reconnects after the last event when a stream ends. */
async function* events(call: WatchCall, addresses: string[]): AsyncGenerator<Happened, void, undefined> {
  const { host, output, values } = call
  const position: Position = { lastId: values.after, hasListened: false, waitMs: FIRST_WAIT_MS }
  for (;;) {
    try {
      yield* eventsOfOneStream(call, position)
    } catch (error) {
      if (!position.hasListened && error instanceof CofferError && error.status === 404)
        return yield* polled(call, addresses)
      position.waitMs = Math.max(position.waitMs, waitAfter(error, position))
    }
    await output.note(`The stream of events ended. Reconnecting in ${position.waitMs / MS_PER_SECOND} s.`)
    await wait(position.waitMs, undefined, { signal: host.signal })
    position.waitMs = Math.min(2 * position.waitMs, LONGEST_WAIT_MS)
  }
}

async function* eventsOfOneStream(call: WatchCall, position: Position): AsyncGenerator<Happened, void, undefined> {
  for await (const event of listen(call.host, call.service(), position.lastId)) {
    if (!position.hasListened) await call.output.note('Listening.')
    position.hasListened = true
    position.waitMs = FIRST_WAIT_MS
    position.lastId = event.id || position.lastId
    const happened = happenedOf(event)
    if (happened) yield happened
  }
}

/** Returns the milliseconds to wait after a transient error. Throws any other error. */
function waitAfter(error: unknown, { hasListened }: Position): number {
  if (hasListened && error instanceof ConnectionError) return 0
  const isBusy = error instanceof CofferError && (error.status === 429 || error.status >= 500)
  if (!(hasListened && isBusy)) throw error
  return (error.retryAfterSeconds ?? 0) * MS_PER_SECOND
}

function happenedOf({ id, kind, data }: StreamEvent): Happened | undefined {
  if (kind === 'replaced') {
    throw new Problem('Another stream replaced this one. A key can have four at once.', EXIT.busy)
  }
  if (kind === 'ready') return undefined
  const { timestamp, data: facts } = Object(JSON.parse(data)) as { timestamp?: unknown; data?: unknown }
  return {
    id,
    kind,
    json: data,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    data: Object(facts) as Facts,
  }
}

/** Yields transactions that were not among the newest before. */
async function* polled(call: WatchCall, addresses: string[]): AsyncGenerator<Happened, void, undefined> {
  const { host, output, values, service } = call
  if (addresses.length === 0) throw usageProblem('Give the addresses to request.')
  const seconds = values.poll === undefined ? POLL_SECONDS : wholeNumber('--poll', values.poll)
  await output.note(`Requesting transactions every ${seconds} s, at ${PRICE} each time.`)
  const seen = new Set<string>()
  for (let isFirst = true; ; isFirst = false) {
    const query = { addresses, limit: NEWEST }
    const { transactions } = await service().client.listTransactions({ query }, { signal: host.signal })
    for (const transaction of transactions.toReversed()) {
      const key = [transaction.address, transaction.chain.key, transaction.hash].join()
      if (!(seen.has(key) || isFirst)) yield foundOf(transaction)
      seen.add(key)
    }
    await wait(seconds * MS_PER_SECOND, undefined, { signal: host.signal })
  }
}

/** Has the stream's shape, without an ID. */
function foundOf({ address, chain, hash, blockNumber, timestamp: seconds, type, confirmed }: Transaction): Happened {
  const kind = 'transaction.found'
  const time = new Date(Number(seconds) * MS_PER_SECOND).toISOString()
  const timestamp = new Date().toISOString()
  const data = { address, chain: chain.key, hash, block: blockNumber, time, type, succeeded: confirmed === 'CONFIRMED' }
  return { id: '', json: JSON.stringify({ type: kind, timestamp, data }), kind, timestamp, data }
}
