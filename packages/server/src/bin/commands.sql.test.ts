import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandBench } from '../../test/operator.ts'

const WALLET = `0x${'ab'.repeat(20)}`
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F'
const SOLANA = 'So11111111111111111111111111111111111111112'

const folder = mkdtempSync(join(tmpdir(), 'coffer-commands-'))
afterAll(() => rmSync(folder, { recursive: true }))
const config = join(folder, 'coffer.json')
writeFileSync(config, JSON.stringify({ priceOverrides: [{ chain: 'ethereum', token: USDC, usd: '0.5' }] }))
const { admin, refused, database, account } = await commandBench('commands', { COFFER_CONFIG: config })
const say = (line: string) => admin(...line.split(' '))

beforeAll(async () => {
  await database.pool.query(`
    create or replace function coffer_now() returns timestamptz language sql stable
      as $$ select timestamptz '2027-03-03T12:00:00Z' $$;
    insert into snapshot_subscription (account_id, address, subscribed_at, expires_at, next_date)
      values (${account}, '${WALLET}', '2027-03-01T10:00:00Z', '2028-03-01T10:00:00Z', '2027-03-01')`)
})

test('price why says why, and what could not be read', async () => {
  expect(await say(`price why --chain ethereum --token ${USDC}`)).toMatchObject({
    ...{ price: '0.5', source: 'override', block: null, isPartial: true },
    confidence: { level: 'high', reason: 'set-by-operator' },
    used: { path: [{ kind: 'set', rate: '0.5', address: null }] },
  })
  const none = await say(`price why --chain 1 --token ${DAI} --amount 2.5`)
  expect(none).toMatchObject({ amount: '2.5', price: 'N/A', confidence: { level: 'none', reason: 'source-failed' } })
})

test('snapshot list reports every day since the subscription', async () => {
  const days = ['2027-03-01', '2027-03-02', '2027-03-03'].map((date) => ({ account, date, state: 'missing' }))
  expect(await say(`snapshot list --address ${WALLET}`)).toEqual(days)
  expect(await say(`snapshot list --address ${WALLET} --account ${account}`)).toEqual(days)
})

test('a day that cannot be read is not taken, with the chain and the reason', async () => {
  const missed = { outcome: 'not taken', chain: 'ethereum', reason: 'unreadable' }
  expect(await say(`snapshot backfill --address ${WALLET} --from 2027-03-01 --to 2027-03-02`)).toEqual([
    { date: '2027-03-01', ...missed },
    { date: '2027-03-02', ...missed },
  ])
})

test('a webhook is made, rotated and removed; its secrets are shown once, and in no line of the audit log', async () => {
  const url = 'https://hooks.example.com/coffer'
  const made = await say(`webhook create --account ${account} --url ${url} --kinds sync.ended`)
  expect(made).toMatchObject({ url, kinds: ['sync.ended'], enabled: true, secret: expect.stringMatching(/^whsec_/) })
  const own = `${made.id} --account ${account}`
  expect((await say(`webhook rotate ${own} --grace-hours 1`)).secret).not.toBe(made.secret)
  expect(await say(`webhook list --account ${account}`)).toEqual([
    expect.not.objectContaining({ secret: expect.anything() }),
  ])
  expect(await say(`webhook deliveries ${own}`)).toEqual([])
  const span = '--from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00+01:00'
  expect(await say(`webhook replay ${own} ${span}`)).toEqual({ replayed: 0 })
  expect(await say(`webhook remove ${own}`)).toEqual({ removed: made.id })
  expect(await refused(`webhook remove ${own}`.split(' '))).toContain('There is no such webhook.')
  const { rows } = await database.pool.query('select detail from audit_event')
  expect(JSON.stringify(rows)).not.toContain('whsec_')
})

test('a watch is made, listed and removed', async () => {
  const address = `0x${'C0'.repeat(20)}`
  const limit = '--direction below --threshold 1000.50'
  const made = await say(`watch create --account ${account} --type netWorth --address ${address} ${limit}`)
  const shown = { type: 'netWorth', address: address.toLowerCase(), threshold: '1000.5', state: 'waiting' }
  expect(made).toMatchObject(shown)
  expect(await say(`watch list --account ${account}`)).toEqual([made])
  expect(await say(`watch remove ${made.id} --account ${account}`)).toEqual({ removed: made.id })
  expect(await refused(`watch remove ${made.id} --account ${account}`.split(' '))).toContain('There is no such watch.')
})

const pnl = (rest: string) => [`pnl sums ${rest}`, `pnl lots --method FIFO ${rest}`]
const backfill = (address: string, from: string, to: string) =>
  `snapshot backfill --address ${address} --from ${from} --to ${to}`
const webhook = (url: string) => `webhook create --account 1 --url ${url} --kinds sync.ended`
const watch = (rest: string) => `watch create --account 1 --type ${rest}`
const ofWallet = `--account 1 --address ${WALLET}`

test.each([
  ...pnl(`${ofWallet} --from 2026-01-01 --to 2027-01-01`).map((line) => [line, 'not all searched'] as const),
  ...pnl(`--account 999 --address ${WALLET} --from 2026-01-01 --to 2027-01-01`).map(
    (line) => [line, 'There is no account 999'] as const,
  ),
  ...pnl(`${ofWallet} --from 2027-01-01 --to 2027-01-01`).map((line) => [line, '--to is not after --from'] as const),
  ...pnl(`${ofWallet} --from 2026-02-30 --to 2027-01-01`).map((line) => [line, '--from'] as const),
  [`pnl lots --method first ${ofWallet} --from 2026-01-01 --to 2027-01-01`, '--method must be one of AVG, FIFO'],
  [`price why --token ${USDC}`, '--chain is needed.'],
  ['price why --chain ethereum', '--token is needed.'],
  [`price why --chain base --token ${USDC}`, '--chain base is not enabled here.'],
  ['price why --chain ethereum --token 0x1', '--token must be 0x and 40 hex digits.'],
  [`price why --chain ethereum --token ${USDC} --amount 1e5`, '--amount must be a decimal amount.'],
  [backfill('0x12', '2027-03-01', '2027-03-02'), '--address '],
  [backfill(SOLANA, '2027-03-01', '2027-03-02'), '--address is on a chain whose nodes keep no past states'],
  [backfill(WALLET, '2027-02-29', '2027-03-02'), '--from must be a day'],
  [backfill(WALLET, '2027-03-02', '2027-03-01'), '--from is after --to'],
  [backfill(WALLET, '2027-03-01', '2027-03-04'), '--to lies in the future'],
  [backfill(`0x${'cd'.repeat(20)}`, '2027-03-01', '2027-03-02'), 'No account '],
  [webhook('https://169.254.169.254/latest'), 'not of the public internet'],
  [webhook('http://example.com/'), 'https://'],
  [webhook('ftp://example.com/'), 'https://'],
  [webhook('https://user:word@example.com/'), 'credentials'],
  [watch(`netWorth --address ${WALLET} --threshold 1`), '--direction is needed.'],
  [watch('credits --threshold 0'), '--threshold must be a whole number'],
  [watch('wealth'), '--type must be one of netWorth, balance'],
  [watch('validator --validator 7'), 'COFFER_BEACON_URL'],
  [
    watch(`balance --address ${WALLET} --chain base --contract ${WALLET} --direction below --threshold 1000.50`),
    '--chain ',
  ],
] as const)('%s is refused', async (line, why) => {
  expect(await refused(line.split(' '))).toContain(why)
})
