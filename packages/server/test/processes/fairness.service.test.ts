import { type Devnet, startDevnet } from '@coffer/devnet'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { createKey } from '../../src/features/keys/keys.ts'
import { openPeppers } from '../../src/features/keys/peppers.ts'
import { startService, type TestService } from '../harness.ts'

const deep = inject('deep')
const KEYS = deep ? 6 : 2
const CALLS_PER_KEY = deep ? 19 : 3
const WALLETS_PER_CALL = 10
/** Single cold reads that are measured, idle and beside the flood. */
const SAMPLES = deep ? 50 : 3

let devnet: Devnet
let service: TestService
beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  const { ethereum, base } = devnet.chains
  service = await startService({ devnet: { chains: { ethereum, base } as Devnet['chains'] } })
})
afterAll(async () => {
  await service?.stop()
  await devnet?.stop()
})

let wallets = 0
const newWallet = () => `0x${(++wallets).toString(16).padStart(40, 'fa1')}`

async function newKeys(count: number): Promise<string[]> {
  const { db } = service.context.database
  const { id } = await createAccount(db, { name: 'one', plan: 'FREE', entitlements: ['portfolio'], credits: 1_000_000 })
  const peppers = await openPeppers(db, [])
  const keys: string[] = []
  for (let i = 0; i < count; i += 1) keys.push((await createKey(db, peppers, { accountId: id, name: 'k' })).key)
  return keys
}

async function ask(key: string, count: number): Promise<{ status: number; ms: number }> {
  const addresses = Array.from({ length: count }, newWallet).join(',')
  const startedAt = performance.now()
  const response = await fetch(`${service.url}/v1/wallet?addresses=${addresses}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return { status: response.status, ms: performance.now() - startedAt }
}

/** Cold reads of one wallet, one after the other. */
async function single(key: string): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i += 1) {
    const { status, ms } = await ask(key, 1)
    expect(status).toBe(200)
    times.push(ms)
  }
  return times.toSorted((a, b) => a - b)
}

const p99 = (sorted: readonly number[]) => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

it('reads a wallet of one account soon, however much another account with many keys asks for', async () => {
  const [victim = ''] = await newKeys(1)
  const flooders = await newKeys(KEYS)
  await single(victim)
  const idle = await single(victim)

  let flooding = true
  const statuses = new Map<number, number>()
  const served: number[] = []
  const flood = async (key: string) => {
    while (flooding) {
      const { status, ms } = await ask(key, WALLETS_PER_CALL)
      if (status === 200 || status === 502) served.push(ms)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Refused: a client waits at least for a turn of the event loop.
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const flooded = Promise.all(flooders.flatMap((key) => Array.from({ length: CALLS_PER_KEY }, () => flood(key))))
  const beside = await single(victim).finally(() => {
    flooding = false
  })
  await flooded
  const flooderMs = median(served.toSorted((a, b) => a - b))
  const report = {
    idle: [median(idle), p99(idle)],
    beside: [median(beside), p99(beside)],
    flooderMs,
    statuses: [...statuses],
  }
  if (deep) console.log('fairness, ms [median, p99]:', JSON.stringify(report))
  expect(statuses.get(500) ?? 0).toBe(0)
  expect(statuses.get(200) ?? 0).toBeGreaterThan(0)
  // In one queue both would wait alike.
  if (deep) expect(p99(beside)).toBeLessThan(flooderMs / 2)
}, 600_000)
