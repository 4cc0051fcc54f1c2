import { PassThrough } from 'node:stream'
import { endpoints } from '@coffer/contract'
import { createApp, type Service } from '../../src/http/app.ts'
import type { Gates } from '../../src/http/gates.ts'
import type { Handlers } from '../../src/http/mount.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { createMemoryGates } from '../memory-gates.ts'
import type { CheckName } from './checks.ts'
import { samplesFor } from './contract-samples.ts'
import type { Samples, Subject, Table } from './examination.ts'
import { withFaults } from './faults.ts'
import { sampleEndpoints, sampleHandlers, sampleRequests } from './sample-table.ts'

type Changes = {
  gates?(gates: Gates): Gates
  handlers?: Partial<Handlers<typeof sampleEndpoints>>
  prepare?(app: Service['app']): void
}

export const memorySubject = ({ handlers, ...changes }: Changes = {}): Subject<typeof sampleEndpoints> =>
  inMemory(sampleEndpoints, sampleRequests, { ...changes, handlers: { ...sampleHandlers, ...handlers } })

const BAD_INPUT: CheckName = '400 for whatever its input must not be, at balance 0 and without a charge'
/** Requests that end before an endpoint's work. */
const BEFORE_THE_WORK: readonly CheckName[] = [
  BAD_INPUT,
  'a bug is 500, given back, and says nothing of itself',
  'a source that failed is 502, given back, and says nothing of itself',
  '405 under a method that the path does not have, 404 with a slash behind',
]
/** Their handlers compare input with the service's chains. */
const KNOW_CHAINS: ReadonlySet<keyof typeof endpoints> = new Set(['listTransactions', 'exportTransactions'])

/** Contract endpoints without their handlers. */
export function contractInMemory(): Subject<typeof endpoints> {
  const entries = Object.keys(endpoints).map((name) => [name, unexpected])
  const handlers: Handlers<typeof endpoints> = Object.fromEntries(entries)
  const subject = inMemory(endpoints, samplesFor(`0x${'a'.repeat(40)}`), { handlers })
  const checksOf = (name: keyof typeof endpoints) =>
    BEFORE_THE_WORK.filter((check) => check !== BAD_INPUT || !KNOW_CHAINS.has(name))
  return { ...subject, checksOf }
}

function unexpected(): never {
  throw new Error('a request that ends before the work reached its handler')
}

function inMemory<T extends Table>(
  endpoints: T,
  samples: Samples<T>,
  { gates: change = (gates) => gates, handlers, prepare }: Omit<Changes, 'handlers'> & { handlers: Handlers<T> },
): Subject<T> {
  return {
    endpoints,
    samples,
    async start(faults) {
      const { gates, addAccount, moneyOf, movesOf } = createMemoryGates()
      let accounts = 0
      const { app, load } = await createApp({
        endpoints,
        gates: change(gates),
        logger: createLogger({ level: 'silent', stream: new PassThrough() }),
        metrics: createMetrics(),
        trustProxy: true,
        handlers: withFaults<T>(handlers, faults),
      })
      prepare?.(app)
      await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as { port: number }
      return {
        origin: `http://127.0.0.1:${port}`,
        async newCaller(account) {
          accounts += 1
          const name = `account${accounts}key`
          const { authorization } = addAccount(name, account)
          return {
            accountId: name,
            authorization,
            async credits() {
              const { available, held } = moneyOf(name)
              return { available, held }
            },
            moves: async () => movesOf(name),
          }
        },
        idle: load.idle,
        stop: () => app.close(),
      }
    },
  }
}
