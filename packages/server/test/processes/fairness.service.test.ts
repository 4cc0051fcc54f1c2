import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Devnet, startDevnet } from '@coffer/devnet'
import { expect, inject, it } from 'vitest'
import { startService } from '../harness.ts'
import { keyedAccount, newKey } from '../ledger/accounts.ts'
import { started } from '../started.ts'
import type { Flooded, Order } from './flood.ts'

const deep = inject('deep')
const KEYS = deep ? 6 : 2
const CALLS_PER_KEY = deep ? 19 : 3
const WALLETS_PER_CALL = 10
/** Measured single cold reads, idle and during the flood. */
const SAMPLES = deep ? 300 : 3

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const { ethereum, base } = devnet.chains
const service = await started(startService({ devnet: { chains: { ethereum, base } as Devnet['chains'] } }))

/** Keys of a new account without rate limits, which another test checks. */
async function newKeys(count: number): Promise<string[]> {
  const { db } = service.context.database
  const { id } = await keyedAccount(db, { credits: 1_000_000 })
  const made = await Promise.all(Array.from({ length: count }, () => newKey(db, id)))
  return made.map(({ key }) => key)
}

let wallets = 0
/** Sequential cold reads of one wallet: durations in ms, shortest first. */
async function single(key: string): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i += 1) {
    const startedAt = performance.now()
    const path = `/v1/wallet?addresses=0xfa1${(++wallets).toString(16).padStart(37, '0')}`
    const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
    await response.arrayBuffer()
    times.push(performance.now() - startedAt)
    expect(response.status).toBe(200)
  }
  return times.toSorted((a, b) => a - b)
}

/** Another process floods the service until `stop`, which returns the number of answers by status. */
async function startFlood(keys: readonly string[]) {
  const child = fork(new URL('./flood.ts', import.meta.url))
  const ended = once(child, 'message')
  const inWork = () => service.context.service.load.inFlight()
  child.send({ url: service.url, keys, callsPerKey: CALLS_PER_KEY, walletsPerCall: WALLETS_PER_CALL } satisfies Order)
  await expect.poll(inWork).toBeGreaterThanOrEqual(Math.min(40, keys.length * CALLS_PER_KEY))
  return async (): Promise<Flooded> => {
    child.send('stop')
    const [flooded] = await ended
    return flooded
  }
}

const p99 = (sorted: readonly number[]) => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

it('reads a wallet of one account soon, regardless of the load of another account with many keys', async () => {
  const [victim = ''] = await newKeys(1)
  const flooders = await newKeys(KEYS)
  await single(victim)
  const idle = await single(victim)
  const stop = await startFlood(flooders)
  let flooded: Flooded | undefined
  const beside = await single(victim).finally(async () => {
    flooded = await stop()
  })
  const statuses = flooded?.statuses ?? {}
  const report = { idle: [median(idle), p99(idle)], beside: [median(beside), p99(beside)], statuses }
  if (deep) console.log('fairness, ms [median, p99]:', JSON.stringify(report))
  expect(statuses[500] ?? 0).toBe(0)
  expect(statuses[200] ?? 0).toBeGreaterThan(0)
  // In one queue with the flood, a read takes seconds.
  if (deep) expect(p99(beside)).toBeLessThan(2 * p99(idle) + median(idle))
})
