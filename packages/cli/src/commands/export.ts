import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endpoints, GAIN_FORMATS, TRANSACTION_FORMATS } from '@coffer/contract'
import { type Call, defineCommand, type Options } from '../command.ts'
import { createProgress } from '../output/progress.ts'
import { visibleLines } from '../output/visible-text.ts'
import { priceOf } from '../price.ts'
import { EXIT, Problem, usageProblem } from '../problem.ts'
import { walletsOf } from '../wallets.ts'
import { filterQuery, TRANSACTION_FILTER } from './transactions.ts'

const MS_PER_DAY = 86_400_000
const DAY_CHARS = 10
const BYTES_PER_MEGABYTE = 1_000_000

const FILE = {
  output: { type: 'string', value: 'FILE', about: 'The file to write. Default: standard output.', short: 'o' },
  force: { type: 'boolean', about: 'Replaces an existing file.' },
} as const satisfies Options

type FileCall = Call<typeof FILE>

export const exportCommand = defineCommand({
  name: 'export',
  about: `Exports all transactions as a file, also in the import formats of other programs. ${priceOf(endpoints.exportTransactions)}.`,
  operands: 'ADDRESS…',
  printsRows: false,
  options: {
    ...TRANSACTION_FILTER,
    format: { type: 'string', value: 'NAME', about: 'Default: COFFER.', choices: TRANSACTION_FORMATS },
    ...FILE,
  },
  further: 'An incomplete download is removed and costs nothing.',
  examples: ['0x… -o transactions.csv', '@savings --format koinly --from 2026-01-01 --to 2026-12-31 -o koinly.csv'],
  async run(call) {
    const { values, service, host } = call
    const { format } = values
    const addresses = await walletsOf(call as Call)
    await save(call, async () => {
      await saySearched(call, addresses)
      const query = { addresses, ...filterQuery(values), ...(format !== undefined && { format }) }
      return service().client.exportTransactions({ query: query as never }, { signal: host.signal })
    })
  },
})

export const gainsCommand = defineCommand({
  name: 'export gains',
  about: `Exports each sale of a period with the lots it used, as a file. ${priceOf(endpoints.exportGains)}.`,
  operands: 'ADDRESS…',
  printsRows: false,
  options: {
    from: { type: 'string', value: 'DAY', about: 'The first day (UTC); required.' },
    to: { type: 'string', value: 'DAY', about: 'The last day (UTC); required.' },
    method: { type: 'string', value: 'NAME', about: 'Which lots are sold first. Default: FIFO.' },
    format: { type: 'string', value: 'NAME', about: 'Default: COFFER.', choices: GAIN_FORMATS },
    partial: { type: 'boolean', about: 'Excludes wallets with an incomplete history, with a line for each.' },
    ...FILE,
  },
  examples: ['0x… --from 2026-01-01 --to 2026-12-31 --format form_8949 -o gains.csv'],
  async run(call) {
    const { values, service, host } = call
    const { from, to, method, format, partial } = values
    if (from === undefined || to === undefined) {
      throw usageProblem('--from and --to are required, e.g. --from 2026-01-01 --to 2026-12-31.')
    }
    const addresses = await walletsOf(call as Call)
    const span = { from, to: dayAfter(to) }
    const further = {
      ...(method !== undefined && { method }),
      ...(format !== undefined && { format }),
      ...(partial && { partial }),
    }
    await save(call, async () => {
      await saySearched(call, addresses)
      return service().client.exportGains(
        { query: { addresses, ...span, ...further } as never },
        { signal: host.signal },
      )
    })
  },
})

export const holdingsFileCommand = defineCommand({
  name: 'export holdings',
  about: `Exports a statement of holdings as a printable HTML page. ${priceOf(endpoints.exportHoldings)}.`,
  operands: 'ADDRESS…',
  printsRows: false,
  options: {
    date: { type: 'string', value: 'DATE', about: 'A day (UTC) with snapshots, or a time with a zone. Default: now.' },
    ...FILE,
  },
  further: 'Missing, stale and unpriced parts are at the top of the page.',
  examples: ['@savings -o statement.html', '0x… --date 2026-12-31 -o statement.html'],
  async run(call) {
    const { values, service, host } = call
    const { date } = values
    const query = { addresses: await walletsOf(call as Call), ...(date !== undefined && { date }) }
    await save(call, () => service().client.exportHoldings({ query }, { signal: host.signal }))
  },
})

/** The service takes an exclusive end and refuses what is not a day. */
function dayAfter(day: string): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN
  return Number.isNaN(time) ? day : new Date(time + MS_PER_DAY).toISOString().slice(0, DAY_CHARS)
}

/** Writes to `FILE.part` first, so that a file is whole or absent. */
async function save({ host, output, values }: FileCall, ask: () => Promise<ReadableStream<Uint8Array>>): Promise<void> {
  const { output: file, force = false } = values
  if (file !== undefined && existsSync(file) && !force)
    throw usageProblem(`${file} exists. Give --force to replace it.`)
  const body = await ask()
  if (file === undefined) return write(body, host, host.columns === undefined ? [] : [visible()], host.stdout)
  const part = `${file}.part`
  try {
    await write(body, host, [], createWriteStream(part, { flags: 'w' }))
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  await output.note(`Written to ${file}.`)
}

/** Reports wallets with an unfinished search, since the file itself cannot. */
async function saySearched({ service, host, output }: FileCall, addresses: string[]): Promise<void> {
  const wallets = await service().client.getStatus({ query: { addresses } }, { signal: host.signal })
  for (const { address, sync } of wallets) {
    if (sync.state === 'done') continue
    await output.missing(`Incomplete: the sync of ${address} is ${sync.state}. See "coffer sync ${address}".`)
  }
}

type Sink = Writable & { end(): unknown }

async function write(
  body: ReadableStream<Uint8Array>,
  host: Call['host'],
  through: Transform[],
  to: Sink,
): Promise<void> {
  const progress = createProgress(host)
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length
      const megabytes = Math.floor(bytes / BYTES_PER_MEGABYTE)
      if (to !== host.stdout && megabytes > 0) progress.show(`${megabytes} MB`, 0)
      done(null, chunk)
    },
  })
  try {
    const parts = [Readable.fromWeb(body as never), counted, ...through, to]
    await pipeline(parts, { end: to !== host.stdout, signal: host.signal })
  } catch (error) {
    // A broken connection throws a TypeError, a full disk a system error with a code.
    if (!(error instanceof TypeError)) throw error
    throw new Problem(
      'The download broke off, and the file is incomplete. Nothing was charged. Try again.',
      EXIT.unavailable,
    )
  } finally {
    progress.end()
  }
}

/** Escapes untrusted text that could steer a terminal. */
function visible(): Transform {
  const decoder = new TextDecoder()
  return new Transform({
    transform: (chunk: Uint8Array, _encoding, done) =>
      done(null, visibleLines(decoder.decode(chunk, { stream: true }))),
    flush: (done) => done(null, visibleLines(decoder.decode())),
  })
}
