import { PassThrough } from 'node:stream'
import { createApp, type Service } from '../../src/http/app.ts'
import type { Gates } from '../../src/http/gates.ts'
import type { Handlers } from '../../src/http/mount.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { createMemoryGates } from '../memory-gates.ts'
import type { Subject } from './examination.ts'
import { withFaults } from './faults.ts'
import { sampleEndpoints, sampleHandlers, sampleRequests } from './sample-table.ts'

/** What is changed about the service to be examined. */
type Changes = {
  gates?(gates: Gates): Gates
  handlers?: Partial<Handlers<typeof sampleEndpoints>>
  prepare?(app: Service['app']): void
}

/** The sample table over the pipeline and gates in memory. */
export function memorySubject({
  gates: change = (gates) => gates,
  handlers = {},
  prepare,
}: Changes = {}): Subject<typeof sampleEndpoints> {
  return {
    endpoints: sampleEndpoints,
    samples: sampleRequests,
    async start(faults) {
      const { gates, addAccount, moneyOf, movesOf } = createMemoryGates()
      let accounts = 0
      const { app, load } = await createApp({
        endpoints: sampleEndpoints,
        gates: change(gates),
        logger: createLogger({ level: 'silent', stream: new PassThrough() }),
        metrics: createMetrics(),
        trustProxy: true,
        handlers: withFaults<typeof sampleEndpoints>({ ...sampleHandlers, ...handlers }, faults),
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
