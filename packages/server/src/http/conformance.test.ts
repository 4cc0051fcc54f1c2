import { PassThrough } from 'node:stream'
import { conformance } from '../../test/conformance/conformance.ts'
import { withFaults } from '../../test/conformance/faults.ts'
import { sampleEndpoints, sampleHandlers, sampleRequests } from '../../test/conformance/sample-table.ts'
import { createMemoryGates } from '../../test/memory-gates.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createApp } from './app.ts'

conformance({
  endpoints: sampleEndpoints,
  samples: sampleRequests,
  async start(faults) {
    const { gates, addAccount, moneyOf } = createMemoryGates()
    let accounts = 0
    const { app, load } = await createApp({
      endpoints: sampleEndpoints,
      gates,
      logger: createLogger({ level: 'silent', stream: new PassThrough() }),
      metrics: createMetrics(),
      trustProxy: true,
      handlers: withFaults<typeof sampleEndpoints>(sampleHandlers, faults),
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    return {
      origin: `http://127.0.0.1:${port}`,
      async newCaller(account) {
        accounts += 1
        const name = `account${accounts}key`
        const { authorization } = addAccount(name, account)
        return {
          authorization,
          async credits() {
            const { available, held } = moneyOf(name)
            return { available, held }
          },
        }
      },
      idle: load.idle,
      stop: () => app.close(),
    }
  },
})
