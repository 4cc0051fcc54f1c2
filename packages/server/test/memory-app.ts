import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Endpoint } from '@coffer/contract'
import { afterAll, onTestFinished } from 'vitest'
import { type AppOptions, createApp } from '../src/http/app.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { createMemoryGates } from './memory-gates.ts'

type Table = Readonly<Record<string, Endpoint>>
type Options<T extends Table> = Partial<AppOptions<T>> & Pick<AppOptions<T>, 'endpoints' | 'handlers'>

/** An app over gates in memory, closed after its test. `lines`: its log. */
export async function memoryApp<T extends Table>(options: Options<T>) {
  const opened = await openApp<T>(options)
  onTestFinished(() => opened.app.close())
  return opened
}

/** At the top of a test file or group: closed after its tests. */
export async function suiteApp<T extends Table>(options: Options<T>) {
  const opened = await openApp<T>(options)
  afterAll(() => opened.app.close())
  return opened
}

async function openApp<T extends Table>(options: Options<T>) {
  const memory = createMemoryGates()
  const lines: string[] = []
  const stream = new PassThrough().on('data', (line) => lines.push(String(line)))
  const logger = createLogger({ level: 'info', stream })
  const metrics = createMetrics()
  const service = await createApp<T>({ gates: memory.gates, logger, metrics, ...options })
  const { app } = service
  const listen = async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  }
  return { ...memory, service, app, listen, lines, logger, metrics }
}
