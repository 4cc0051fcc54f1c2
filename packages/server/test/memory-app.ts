import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Endpoint } from '@coffer/contract'
import { onTestFinished } from 'vitest'
import { type AppOptions, createApp } from '../src/http/app.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { createMemoryGates } from './memory-gates.ts'

/** An app over gates in memory, closed after its test. `lines`: its log. */
export async function memoryApp<T extends Readonly<Record<string, Endpoint>>>(
  options: Partial<AppOptions<T>> & Pick<AppOptions<T>, 'endpoints' | 'handlers'>,
) {
  const memory = createMemoryGates()
  const lines: string[] = []
  const stream = new PassThrough().on('data', (line) => lines.push(String(line)))
  const logger = createLogger({ level: 'info', stream })
  const metrics = createMetrics()
  const service = await createApp<T>({ gates: memory.gates, logger, metrics, ...options })
  const { app } = service
  onTestFinished(() => app.close())
  const listen = async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  }
  return { ...memory, service, app, listen, lines, logger, metrics }
}
