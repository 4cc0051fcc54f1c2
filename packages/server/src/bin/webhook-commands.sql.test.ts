import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { type Operator, operator } from '../../test/operator.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let { admin, refused }: Operator = operator({})
let account: string

beforeAll(async () => {
  database = await testDatabase('webhook_commands')
  const chain = { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  ;({ admin, refused } = operator({ COFFER_MASTER_KEY: '7f'.repeat(32), ...chain }, database))
  account = (await admin('account', 'create', '--name', 'acme')).id
})
afterAll(() => database.drop())

test('a webhook is made, rotated and removed; its secrets are shown once, and in no line of the audit log', async () => {
  const url = 'https://hooks.example.com/coffer'
  const made = await admin('webhook', 'create', '--account', account, '--url', url, '--kinds', 'sync.ended')
  expect(made).toMatchObject({ url, kinds: ['sync.ended'], enabled: true, secret: expect.stringMatching(/^whsec_/) })
  const own = [made.id, '--account', account]
  const rotated = await admin('webhook', 'rotate', ...own, '--grace-hours', '1')
  expect(rotated.secret).not.toBe(made.secret)
  expect(await admin('webhook', 'list', '--account', account)).toEqual([
    expect.not.objectContaining({ secret: expect.anything() }),
  ])
  expect(await admin('webhook', 'deliveries', ...own)).toEqual([])
  const span = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00+01:00']
  expect(await admin('webhook', 'replay', ...own, ...span)).toEqual({ replayed: 0 })
  expect(await admin('webhook', 'remove', ...own)).toEqual({ removed: made.id })
  expect(await refused(['webhook', 'remove', ...own])).toContain('There is no such webhook.')
  const { rows } = await database.pool.query('select detail from audit_event')
  expect(JSON.stringify(rows)).not.toContain('whsec_')
})

test('what can never be reached is refused', async () => {
  const create = (url: string) =>
    refused(['webhook', 'create', '--account', account, '--url', url, '--kinds', 'sync.ended'])
  expect(await create('https://169.254.169.254/latest')).toContain('not of the public internet')
  expect(await create('http://example.com/')).toContain('https://')
  expect(await create('ftp://example.com/')).toContain('https://')
  expect(await create('https://user:word@example.com/')).toContain('credentials')
})

test('what an account is told of is named, listed and ended, by the rules of the API', async () => {
  const address = `0x${'C0'.repeat(20)}`
  const create = ['watch', 'create', '--account', account, '--type']
  const limit = ['--direction', 'below', '--threshold', '1000.50']
  const made = await admin(...create, 'netWorth', '--address', address, ...limit)
  expect(made).toMatchObject({
    type: 'netWorth',
    address: address.toLowerCase(),
    threshold: '1000.5',
    state: 'waiting',
  })
  expect(await admin('watch', 'list', '--account', account)).toEqual([made])
  expect(await refused([...create, 'netWorth', '--address', address, '--threshold', '1'])).toBe(
    '--direction is needed.',
  )
  expect(await refused([...create, 'credits', '--threshold', '0'])).toContain('--threshold must be a whole number')
  expect(await refused([...create, 'wealth'])).toContain('--type must be one of netWorth, balance')
  expect(await refused([...create, 'validator', '--validator', '7'])).toContain('COFFER_BEACON_URL')
  const token = ['--chain', 'base', '--contract', address]
  expect(await refused([...create, 'balance', '--address', address, ...token, ...limit])).toContain('--chain ')
  expect(await admin('watch', 'remove', made.id, '--account', account)).toEqual({ removed: made.id })
  expect(await refused(['watch', 'remove', made.id, '--account', account])).toContain('There is no such watch.')
})
