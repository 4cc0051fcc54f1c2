// Requests per second of `GET /v1/portfolio` from memory, each durably charged, against a bare Fastify route with the
// same answers, in turns. Ratios count, not figures.
// `portfolio.ts [--rounds 5] [--seconds 6] [--profile <folder>]`. Exits 1 if a target is missed.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { benchOverDatabase } from './bench-database.ts'
import { type Caller, seedCallers } from './cached-wallets.ts'
import type { LoadOrder, LoadResult } from './load-generator.ts'
import { median } from './median.ts'
import { answerTo, type ServiceProcess, startServiceProcess, startWorker } from './portfolio-service.ts'

/** Largest share of answers that may have taken a hold. */
const MOST_HELD = 0.01
/** Minimum share of the bare route's rate. `aim` is not enforced. */
const LOADS = [
  { connections: 32, promised: 0.4 },
  { connections: 128, aim: 0.6 },
] as const
const PROMISED_RSS_MB = 300
const WARM_UP_SECONDS = 2

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    profile: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)

type Sample = LoadResult & { serverCpuMs: number }
type Measured = { connections: number; bare: Sample[]; service: Sample[] }
type Target = { url: string; cpuMs(): Promise<number> }

async function measure(targets: { bare: Target; service: Target }, callers: readonly Caller[]): Promise<Measured[]> {
  const generator = startWorker('./load-generator.ts')
  const load = async ({ url, cpuMs }: Target, connections: number, duration: number): Promise<Sample> => {
    const before = await cpuMs()
    const order: LoadOrder = { url, requests: callers, connections, seconds: duration }
    const result = await generator.ask<LoadResult>(order)
    return { ...result, serverCpuMs: (await cpuMs()) - before }
  }
  const measured: Measured[] = LOADS.map(({ connections }) => ({ connections, bare: [], service: [] }))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { connections, bare, service } of measured) {
      // The first round warms up.
      const duration = round === 0 ? WARM_UP_SECONDS : seconds
      const samples = [
        await load(targets.bare, connections, duration),
        await load(targets.service, connections, duration),
      ]
      if (round === 0) continue
      bare.push(samples[0] as Sample)
      service.push(samples[1] as Sample)
    }
  }
  await generator.stop()
  return measured
}

function printMachine(database: string, bodyBytes: number): void {
  const require = createRequire(import.meta.url)
  const version = (name: string) => JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')).version
  const [cpu] = cpus()
  console.log(`${cpu?.model} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GB; ${database}`)
  console.log(`Node ${process.version}, fastify ${version('fastify')}`)
  console.log(`body ${bodyBytes} bytes; 20 keys with their limits raised; ${rounds} rounds of ${seconds} s in turns`)
}

const of = (samples: readonly Sample[], figure: (sample: Sample) => number) => median(samples.map(figure))

function printLoad({ connections, bare, service }: Measured): number {
  for (const [name, samples] of Object.entries({ bare, service })) {
    const perRequest = (cpuMs: (sample: Sample) => number) =>
      of(samples, (s) => (cpuMs(s) * 1000) / s.answers).toFixed(0)
    console.log(
      [
        `c${connections} ${name}`.padEnd(14),
        `${of(samples, ({ rps }) => rps).toFixed(0)} rps`.padStart(10),
        `p50 ${of(samples, ({ p50 }) => p50)} ms`.padStart(11),
        `p99 ${of(samples, ({ p99 }) => p99)} ms`.padStart(12),
        `CPU a request: server ${perRequest((s) => s.serverCpuMs)} µs, generator ${perRequest((s) => s.cpuMs)} µs`,
      ].join('  '),
    )
  }
  const ratios = service.map(({ rps }, i) => rps / (bare[i]?.rps ?? Number.NaN))
  const percents = ratios.map((ratio) => `${Math.round(ratio * 100)}`).join(' ')
  console.log(`c${connections} ratio       ${Math.round(median(ratios) * 100)} % (rounds: ${percents})`)
  return median(ratios)
}

/**
 * Checks that every answer was charged. Answers not from memory take a hold: each wallet's first, and those during the
 * lookup of its missing cost figures, every five seconds.
 */
async function checkLedger({ pool }: Database, answers: number, callers: number): Promise<string[]> {
  const lines = await pool.query<{ kind: string; n: bigint }>(
    'select kind, count(*) as n from credit_line group by kind',
  )
  const count = (kind: string) => Number(lines.rows.find((row) => row.kind === kind)?.n ?? 0)
  const held = count('hold') - callers
  const { rowCount } = await pool.query('select * from credit_violation')
  console.log(`${count('charge')} charges for ${answers} measured answers, ${rowCount} violations of the ledger`)
  return [
    ...(count('charge') >= answers ? [] : ['answers were not charged']),
    ...(held <= answers * MOST_HELD ? [] : [`${held} answers were not from memory`]),
    ...(rowCount === 0 ? [] : ['the ledger is not clean']),
  ]
}

function judge(measured: readonly Measured[], ratios: readonly number[], rssMb: number): string[] {
  const bad = measured.flatMap(({ bare, service }) => [...bare, ...service]).reduce((n, sample) => n + sample.bad, 0)
  const missed = LOADS.flatMap((load, i) =>
    'promised' in load && !((ratios[i] ?? 0) >= load.promised)
      ? [`less than ${load.promised * 100} % at ${load.connections} connections`]
      : [],
  )
  return [
    ...missed,
    ...(rssMb < PROMISED_RSS_MB ? [] : [`the service uses more than ${PROMISED_RSS_MB} MB`]),
    ...(bad === 0 ? [] : [`${bad} requests without a good answer`]),
  ]
}

async function bench(database: Database, databaseUrl: string): Promise<string[]> {
  const callers = await seedCallers(database)
  const profile = options.profile === undefined ? '' : `--cpu-prof --cpu-prof-dir=${options.profile}`
  const service: ServiceProcess = await startServiceProcess(databaseUrl, profile)
  const bare = startWorker('./bare-route.ts')
  try {
    const answers: Record<string, Awaited<ReturnType<typeof answerTo>>> = {}
    for (const caller of callers) answers[caller.path] = await answerTo(service.url, caller)
    const [first] = Object.values(answers)
    if (first?.status !== 200) throw new Error(`the service answers ${first?.status}: ${first?.body}`)
    const { rows } = await database.pool.query(
      `select current_setting('server_version') as v, current_setting('synchronous_commit') as s, current_setting('fsync') as f`,
    )
    const postgres = `PostgreSQL ${rows[0].v}, synchronous_commit ${rows[0].s}, fsync ${rows[0].f}`
    printMachine(postgres, Buffer.byteLength(first.body))

    const bareUrl = await bare.ask<string>(answers)
    const measured = await measure(
      {
        bare: { url: bareUrl, cpuMs: async () => Number(await (await fetch(`${bareUrl}/cpu`)).text()) },
        service: { url: service.url, cpuMs: async () => (await service.usage()).cpuMs },
      },
      callers,
    )
    const rssMb = (await service.usage()).rssBytes / 1e6
    const ratios = measured.map(printLoad)
    console.log(`API process: RSS ${rssMb.toFixed(0)} MB after the rounds (promised: under ${PROMISED_RSS_MB})`)
    const charged = measured.flatMap((load) => load.service).reduce((n, sample) => n + sample.answers, 0)
    return [...judge(measured, ratios, rssMb), ...(await checkLedger(database, charged, callers.length))]
  } finally {
    await bare.stop()
    await service.stop()
  }
}

await benchOverDatabase(bench)
