import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { type Operator, operator } from '../../test/operator.ts'

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F'
const folder = mkdtempSync(join(tmpdir(), 'coffer-price-commands-'))

let database: Awaited<ReturnType<typeof testDatabase>>
let { admin, refused }: Operator = operator({})

beforeAll(async () => {
  database = await testDatabase('price_commands')
  const file = join(folder, 'coffer.json')
  writeFileSync(file, JSON.stringify({ priceOverrides: [{ chain: 'ethereum', token: USDC, usd: '0.5' }] }))
  ;({ admin, refused } = operator(
    // Nothing listens there.
    { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9', COFFER_CONFIG: file },
    database,
  ))
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const why = (...flags: string[]) => ['price', 'why', ...flags] as const

test('says why, and what could not be read', async () => {
  const set = await admin(...why('--chain', 'ethereum', '--token', USDC))
  expect(set).toMatchObject({
    ...{ price: '0.5', source: 'override', block: null, isPartial: true },
    confidence: { level: 'high', reason: 'set-by-operator' },
    used: { path: [{ kind: 'set', rate: '0.5', address: null }] },
  })
  const none = await admin(...why('--chain', '1', '--token', DAI, '--amount', '2.5'))
  expect(none).toMatchObject({ amount: '2.5', price: 'N/A', confidence: { level: 'none', reason: 'source-failed' } })
})

test.each([
  [['--token', USDC], '--chain is needed.'],
  [['--chain', 'ethereum'], '--token is needed.'],
  [['--chain', 'base', '--token', USDC], '--chain base is not enabled here.'],
  [['--chain', 'ethereum', '--token', '0x1'], '--token must be 0x and 40 hex digits.'],
  [['--chain', 'ethereum', '--token', USDC, '--amount', '1e5'], '--amount must be a decimal amount.'],
])('%j is refused', async (flags, sentence) => {
  expect(await refused(why(...flags))).toBe(sentence)
})
