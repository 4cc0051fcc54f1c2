import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBinance } from '../../test/exchanges/binance-emulator.ts'
import { commandBench } from '../../test/operator.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const readingKey = { apiKey: 'reading-key', secret: 'secret-canary' }
const tradingKey = { apiKey: 'trading-key', secret: 'secret-canary' }

const folder = mkdtempSync(join(tmpdir(), 'coffer-virtual-user-commands-'))
const file = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const binance = await startBinance({
  accounts: [
    { ...readingKey, balances: { spot: { BTC: { free: '1' } } } },
    { ...tradingKey, rights: { enableSpotAndMarginTrading: true } },
  ],
})
afterAll(async () => {
  await binance.stop()
  rmSync(folder, { recursive: true, force: true })
})
const COFFER_CONFIG = file('coffer.json', JSON.stringify({ exchangeUrls: { binance: binance.url } }))
const { run, admin, refused, database, account, env } = await commandBench('virtual_user_commands', { COFFER_CONFIG })

const make = (type: 'BALANCE' | 'CEX') =>
  admin('virtual-user', 'create', '--account', account, '--type', type, '--label', 'vault')
const linking = (id: string, path: string, exchange = 'binance') =>
  ['virtual-user', 'link', id, '--exchange', exchange, '--credentials', path] as const

describe('virtual users', () => {
  test('are made, listed, renamed and removed, by id or address', async () => {
    const made = await make('BALANCE')
    const { id } = made
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      address: `virtual:${id}`,
      accountId: account,
      type: 'BALANCE',
      label: 'vault',
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(await admin('virtual-user', 'rename', made.address, '--label', 'cold')).toEqual({ ...made, label: 'cold' })
    expect(await admin('virtual-user', 'list', '--account', account)).toEqual([
      { ...made, label: 'cold', balances: [] },
    ])
    expect(await admin('virtual-user', 'remove', id)).toEqual({ ...made, label: 'cold' })
    expect(await admin('virtual-user', 'list', '--account', account)).toEqual([])
  })

  test.each([
    [['create', '--account', '999999', '--type', 'CEX', '--label', 'x'], 'There is no account 999999.'],
    [['create', '--account', '1', '--type', 'cex', '--label', 'x'], '--type must be BALANCE or CEX.'],
    [['create', '--account', '1', '--type', 'CEX', '--label', ' '], '--label is empty.'],
    [['rename', 'x', '--label', 'x'], 'The ID is not an id of a virtual user.'],
    [['rename', NOBODY, '--label', 'x'], `There is no virtual user ${NOBODY}.`],
    [['remove', NOBODY], `There is no virtual user ${NOBODY}.`],
    [['sync', NOBODY], `There is no virtual user ${NOBODY}.`],
    [['unlink', `virtual:${NOBODY}`], `There is no virtual user ${NOBODY}.`],
    [['list', '--account', '999999'], 'There is no account 999999.'],
  ])('virtual-user %j is refused', async (args, sentence) => {
    expect(await refused(['virtual-user', ...args])).toBe(sentence)
  })
})

describe('balances', () => {
  let id: string
  beforeAll(async () => {
    id = (await make('BALANCE')).id
  })
  const set = (...args: string[]) => ['virtual-user', 'set-balance', id, ...args]

  test('are set by chain and contract, or by symbol and price source, as of now or a time before', async () => {
    const at = ['--at', '2026-01-02T03:04:05+01:00']
    const made = await admin(...set('--chain', 'eth', '--contract', usdc, '--amount', '1234.000001', ...at))
    expect(made).toMatchObject({
      chain: 'ethereum',
      contract: usdc.toLowerCase(),
      amount: '1234.000001',
      changedAt: '2026-01-02T02:04:05.000Z',
    })
    expect(made).not.toHaveProperty('warning')
    await admin(...set('--symbol', 'eur', '--price-source', 'fx', '--amount', '10.50'))
    await admin(...set('--symbol', 'EUR', '--price-source', 'fx', '--amount', '20'))
    const [listed] = await admin('virtual-user', 'list', '--account', account)
    expect(listed.balances).toEqual([
      { chain: 'ethereum', contract: usdc.toLowerCase(), amount: '1234.000001' },
      { symbol: 'EUR', priceSource: 'fx', amount: '20' },
    ])
  })

  test('are taken where nobody tells their price yet, with a warning', async () => {
    expect(await admin(...set('--chain', 'base', '--contract', usdc, '--amount', '1'))).toMatchObject({
      warning: 'base is not among COFFER_CHAINS.',
    })
    const coin = ['--symbol', 'XMR', '--price-source', 'coingecko:monero']
    expect(await admin(...set(...coin, '--amount', '1'))).toMatchObject({
      warning: 'coingecko is not among COFFER_PRICES.',
    })
  })

  const token = ['--chain', 'ethereum', '--contract', usdc]
  const symbol = ['--symbol', 'EUR', '--price-source', 'fx']
  const both = 'Either --chain and --contract are needed, or --symbol and --price-source.'
  test.each([
    [['--amount', '1'], both],
    [[...token, ...symbol, '--amount', '1'], both],
    [['--chain', 'ethereum', '--amount', '1'], both],
    [['--symbol', 'EUR', '--contract', usdc, '--amount', '1'], both],
    [token, '--amount is needed.'],
    [[...token, '--amount=-1'], '--amount must be an amount of at most 18 decimals, from 0.'],
    [[...token, '--amount', '1e5'], '--amount must be an amount of at most 18 decimals, from 0.'],
    [[...token, '--amount', `0.${'1'.repeat(19)}`], '--amount must be an amount of at most 18 decimals, from 0.'],
    ...['atlantis', 'solana'].map((chain): [string[], string] => [
      ['--chain', chain, '--contract', usdc, '--amount', '1'],
      `--chain ${chain} is no chain whose tokens can be read.`,
    ]),
    [['--chain', 'ethereum', '--contract', '0x12', '--amount', '1'], '--contract is not an address.'],
    [['--symbol', 'a b', '--price-source', 'fx', '--amount', '1'], '--symbol is not a symbol.'],
    [[...symbol, '--amount', '1', '--at', '2026-01-02'], '--at must be a time in ISO 8601 with its zone.'],
    [[...symbol, '--amount', '1', '--at', '2999-01-01T00:00:00Z'], '--at lies in the future.'],
    [
      ['--symbol', 'EUR', '--price-source', 'guess', '--amount', '1'],
      '--price-source must be fx, coingecko:ID, defillama:ID or fixed:USD, the last with at most 18 decimals.',
    ],
    [
      ['--symbol', 'DOGE', '--price-source', 'fx', '--amount', '1'],
      '--price-source fx knows USD, EUR, GBP, JPY, CNY, CAD, CHF, AUD, SGD, AED, ETH, BTC, SOL, BNB, not DOGE.',
    ],
  ])('%j is refused', async (args, sentence) => {
    expect(await refused(set(...args))).toBe(sentence)
  })

  test('are not set by hand for an account at an exchange, nor linked for what is kept by hand', async () => {
    const user = await make('CEX')
    const args = ['virtual-user', 'set-balance', user.id, ...symbol, '--amount', '1']
    expect(await refused(args)).toBe(`The virtual user ${user.id} stands for an account at an exchange.`)
    const path = file('reading.json', JSON.stringify(readingKey))
    expect(await refused(linking(id, path))).toContain('has manual balances: only type CEX can be linked')
    expect(await refused(['virtual-user', 'unlink', user.id])).toContain('is not linked to an exchange')
    expect(await refused(['virtual-user', 'sync', user.id])).toContain('is not linked to an exchange')
  })

  test('cannot be read where their chain cannot, and the command says so', async () => {
    expect(await refused(['virtual-user', 'sync', id])).toMatch(/ethereum/)
  })
})

describe('links', () => {
  test('are made with credentials from a file, ended, and made again with those of standard input', async () => {
    const { id } = await make('CEX')
    const linked = {
      ...{ id, address: `virtual:${id}`, exchange: 'binance', name: 'Binance' },
      permissions: { trade: false, withdraw: false },
    }
    expect(await admin(...linking(id, file('reading.json', JSON.stringify(readingKey))))).toEqual(linked)
    const users = await admin('virtual-user', 'list', '--account', account)
    expect(users.at(-1)).toMatchObject({ id, exchange: 'binance' })
    expect(await refused(linking(id, '-'), JSON.stringify(readingKey))).toContain('unlink it first')
    await admin('virtual-user', 'unlink', id)
    const { code, stdout } = await run(linking(id, '-'), `${JSON.stringify(readingKey)}\n`)
    expect([code, JSON.parse(stdout)]).toEqual([0, linked])
    const [read] = await admin('virtual-user', 'sync', id)
    expect(read).toMatchObject({ chain: 'cex', protocol: 'binance', holdings: 1 })
  })

  const shape =
    'The credentials must be a JSON object of texts: apiKey, secret, and where the exchange wants them password and uid.'
  test.each([
    ['', shape],
    ['secret-canary', shape],
    ['["secret-canary"]', shape],
    ['{"apiKey":"x"}', shape],
    ['{"apiKey":"x","secret":"","secret-canary":"y"}', shape],
    ['{"apiKey":"x","secret":"secret-canary","passphrase":"y"}', shape],
    [JSON.stringify(tradingKey), 'This key may trade: create a read-only key at Binance.'],
    ['{"apiKey":"nobody","secret":"secret-canary"}', 'Binance refuses the key.'],
  ])('are not made with %s', async (input, sentence) => {
    const { id } = await make('CEX')
    expect(await refused(linking(id, '-'), input)).toBe(sentence)
    const { rowCount } = await database.pool.query('select from exchange_link where virtual_user_id = $1', [id])
    expect(rowCount).toBe(0)
  })

  test('are not made with an exchange or a file that is not there, or an exchange that is down', async () => {
    const { id } = await make('CEX')
    expect(await refused(linking(id, '-', 'mtgox'))).toBe('There is no exchange mtgox that can be read.')
    expect(await refused(linking(id, '/nowhere/keys.json'))).toBe('The file /nowhere/keys.json cannot be read.')
    binance.mode = 'down'
    expect(await refused(linking(id, '-'), JSON.stringify(readingKey))).toMatch(/^Binance .*\.$/)
    binance.mode = 'ok'
    const unlinked = 'select from secret where not exists (select from exchange_link where secret_id = secret.id)'
    expect((await database.pool.query(unlinked)).rowCount).toBe(0)
  })

  test('the program itself reads standard input, and ends when it is done', async () => {
    const { id } = await make('CEX')
    const program = fileURLToPath(new URL('coffer-admin.ts', import.meta.url))
    const { promise, resolve } = Promise.withResolvers<string>()
    const child = execFile(
      process.execPath,
      [program, ...linking(id, '-')],
      { env: { ...env, DATABASE_URL: database.url } },
      (_, out, err) => resolve(out + err),
    )
    child.stdin?.end(JSON.stringify(readingKey))
    expect(JSON.parse(await promise)).toMatchObject({ id, exchange: 'binance' })
  })
})
