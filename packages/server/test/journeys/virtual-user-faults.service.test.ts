import { endpoints } from '@coffer/contract'
import { describe, expect, it } from 'vitest'
import { badInputs } from '../conformance/bad-input.ts'
import { patientFetch } from '../harness.ts'
import { started } from '../started.ts'
import { binanceKey, CANARY, startVirtualUsers } from '../virtual-users.ts'

const NOT_FRESH_MS = 61_000
const NOBODY = 'virtual:00000000-0000-4000-8000-000000000000'

const rig = await started(startVirtualUsers())
const account = await rig.newCustomer(10_000)
const hand = await rig.newUser(account, 'BALANCE')
await rig.admin('virtual-user', 'set-balance', hand, '--symbol', 'USD', '--price-source', 'fx', '--amount', '5')
const onBinance = await rig.newUser(account, 'CEX')
await rig.link(onBinance, 'binance', binanceKey)

describe('an exchange that cannot be read', () => {
  const stale = [{ chain: 'cex', protocol: 'binance', reason: 'stale' }]

  it.each(['down', '500', 'bad-json', '429'] as const)('%s: what was last known, marked', async (mode) => {
    const [before] = await rig.portfolios(account, `?addresses=${onBinance}`)
    rig.binance.mode = mode
    rig.clock.advance(NOT_FRESH_MS)
    const [shown] = await rig.portfolios(account, `?addresses=${onBinance}&waitForSync=true`)
    expect(shown).toEqual({ ...before, incomplete: stale })
    const [whole] = await rig.portfolios(account, `?addresses=${hand},${onBinance}&aggregated=true`)
    expect(whole?.incomplete).toEqual(stale)
    rig.binance.mode = 'ok'
    rig.clock.advance(NOT_FRESH_MS)
    const [again] = await rig.portfolios(account, `?addresses=${onBinance}&waitForSync=true`)
    expect(again).toMatchObject({ networth: before?.networth, incomplete: [] })
  })

  it('never read: 502 for the whole call, and nothing is charged', async () => {
    const fresh = await rig.newUser(account, 'CEX', 'new')
    await rig.link(fresh, 'binance', binanceKey)
    rig.binance.mode = 'down'
    const before = await rig.ledger(account)
    const { status, body } = await rig.ask(account, `?addresses=${hand},${fresh}&aggregated=true`)
    rig.binance.mode = 'ok'
    expect({ status, body }).toEqual({
      status: 502,
      body: { error: 'Bad Gateway', message: `${fresh} could not be read; try again` },
    })
    expect((await rig.ledger(account)).slice(before.length)).toEqual(['hold 2', 'void 2'])
    await rig.admin('virtual-user', 'remove', fresh)
  })

  it('a chain that is not read here: the rest, and the chain named', async () => {
    const token = ['--chain', 'polygon', '--contract', `0x${'1'.repeat(40)}`, '--amount', '1']
    const user = await rig.newUser(account, 'BALANCE')
    await rig.admin('virtual-user', 'set-balance', user, ...token)
    await rig.admin('virtual-user', 'set-balance', user, '--symbol', 'USD', '--price-source', 'fx', '--amount', '7')
    const [shown] = await rig.portfolios(account, `?addresses=${user}`)
    expect(shown).toMatchObject({ networth: '7', incomplete: [{ chain: 'polygon', reason: 'not-allowed' }] })
    await rig.admin('virtual-user', 'remove', user)
  })

  it('a secret that was tampered with: what was last known, marked, and never its text', async () => {
    const [before] = await rig.portfolios(account, `?addresses=${onBinance}`)
    const { pool } = rig.service.context.database
    const secretId = '(select secret_id from exchange_link where virtual_user_id = $1)'
    const flip = `update secret set ciphertext = set_byte(ciphertext, 20, get_byte(ciphertext, 20) # 1) where id = ${secretId}`
    await pool.query(flip, [onBinance.replace('virtual:', '')])
    rig.clock.advance(NOT_FRESH_MS)
    const { status, body } = await rig.ask(account, `?addresses=${onBinance}&waitForSync=true`)
    expect(status).toBe(200)
    expect(body).toEqual([{ ...before, incomplete: stale }])
    const reported = await rig.run(['virtual-user', 'sync', onBinance])
    expect(reported).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The secret \S+ was altered\.\n$/),
    })
    expect(JSON.stringify([body, reported])).not.toContain(CANARY)
    await pool.query('delete from virtual_user_read where virtual_user_id = $1', [onBinance.replace('virtual:', '')])
    rig.clock.advance(NOT_FRESH_MS)
    expect((await rig.ask(account, `?addresses=${onBinance}`)).status).toBe(502)
    await pool.query(flip, [onBinance.replace('virtual:', '')])
    rig.clock.advance(NOT_FRESH_MS)
    expect((await rig.portfolios(account, `?addresses=${onBinance}`))[0]?.networth).toBe(before?.networth)
  })

  it('no credentials are anywhere in the database', async () => {
    const { pool } = rig.service.context.database
    const { rows: tables } = await pool.query("select tablename from pg_tables where schemaname = 'public'")
    for (const { tablename } of tables) {
      const { rows } = await pool.query(`select coalesce(string_agg(t::text, ''), '') as dump from "${tablename}" t`)
      expect(rows[0].dump, tablename).not.toContain(CANARY)
    }
  })
})

describe('refusals', () => {
  const titled = (error: string) => ({ error, message: expect.any(String) })

  it("another account's virtual user, an unused id and an invalid one are answered alike, one being enough", async () => {
    const other = await rig.newCustomer(10)
    const theirs = await rig.newUser(other, 'BALANCE', 'theirs')
    const before = await rig.ledger(account)
    const foreign = [theirs, NOBODY, 'virtual:x', 'virtual:1', hand.toUpperCase().replace('VIRTUAL', 'virtual')]
    const answers = await Promise.all(
      foreign
        .flatMap((address) => [`?addresses=${address}`, `?addresses=${hand},${address}&aggregated=true`])
        .map((search) => rig.ask(account, search)),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 403,
        body: { error: 'Forbidden', message: 'One of these virtual users does not belong to this account' },
      })
    }
    expect(await rig.ledger(account)).toEqual(before)
    expect(await other.client.listVirtualUsers()).toEqual([{ address: theirs, type: 'BALANCE', label: 'theirs' }])
  })

  it('bad input is refused without a line in the ledger', async () => {
    const before = await rig.ledger(account)
    const eleven = Array.from({ length: 11 }, (_, n) => `virtual:${n}`)
    const exact: [string, string][] = [
      ['', 'addresses: is required: a comma-separated list of virtual user addresses'],
      ['?addresses=', 'addresses: must name at least one address'],
      ['?addresses=,%20,', 'addresses: must name at least one address'],
      [`?addresses=${eleven}`, 'addresses: must name at most 10 addresses'],
      ['?addresses=zzz', 'addresses: not a virtual user address, which is virtual:<id>: zzz'],
      [`?addresses=${hand},0x12`, 'addresses: not a virtual user address, which is virtual:<id>: 0x12'],
      ['?addresses=virtual:', 'addresses: not a virtual user address, which is virtual:<id>: virtual:'],
      [`?addresses=${hand}&aggregated=yes`, 'aggregated: must be true or false'],
      [`?addresses=${hand}&waitForSync=`, 'waitForSync: must be true or false'],
      [`?addresses=${hand}&includeImages=1`, 'includeImages: must be true or false'],
      [
        `?addresses=${hand}&includeExplorerUrls=true&includeExplorerUrls=true`,
        'includeExplorerUrls: must be true or false',
      ],
    ]
    for (const [search, message] of exact) {
      const { status, body } = await rig.ask(account, search)
      expect({ search, status, body }).toEqual({ search, status: 400, body: { error: 'Bad Request', message } })
    }
    for (const { search = '' } of badInputs(
      endpoints.getVirtualUserPortfolio,
      new URLSearchParams({ addresses: hand }),
    )) {
      const { status, body } = await rig.ask(account, `?${search}`)
      expect([search.slice(0, 80), status, body]).toEqual([search.slice(0, 80), 400, titled('Bad Request')])
    }
    expect(await rig.ledger(account)).toEqual(before)
  })

  it('take their turn: 403 without Pro, then 400, then 403 of an id, then 402', async () => {
    const poor = await rig.newCustomer(1)
    const theirs = await rig.newUser(poor, 'BALANCE', 'a')
    const second = await rig.newUser(poor, 'BALANCE', 'b')
    const lite = await rig.newCustomer(10, 'LITE')
    expect(await rig.ask(lite, '?addresses=zzz')).toMatchObject({ status: 403, body: titled('Forbidden') })
    const free = await rig.newCustomer(10, 'FREE')
    const list = await patientFetch(`${rig.service.url}/v1/virtual-users`, {
      headers: { authorization: `Bearer ${free.key}` },
    })
    expect([list.status, await list.json()]).toEqual([
      403,
      { error: 'Forbidden', message: 'This endpoint needs the Pro plan' },
    ])
    const before = await rig.ledger(poor)
    const two = `${theirs},${second}`
    expect((await rig.ask(poor, `?addresses=${two},zzz`)).status).toBe(400)
    expect((await rig.ask(poor, `?addresses=${two},${hand}`)).status).toBe(403)
    expect(await rig.ask(poor, `?addresses=${two},${theirs}`)).toMatchObject({
      status: 402,
      body: { message: expect.any(String), creditsRequired: 2, creditsAvailable: 1, creditsNeeded: 2 },
    })
    expect(await rig.ledger(poor)).toEqual(before)
    expect((await rig.ask(poor, `?addresses=${second},${second}`)).status).toBe(200)
    expect(await poor.client.getCredits()).toBe(0)
    expect(await rig.ledger(free)).toEqual(['grant 10'])
    expect(await rig.ledger(lite)).toEqual(['grant 10'])
  })

  it('a removed virtual user is gone at once', async () => {
    const gone = await rig.newUser(account, 'BALANCE', 'gone')
    expect((await rig.ask(account, `?addresses=${gone}`)).status).toBe(200)
    await rig.admin('virtual-user', 'remove', gone)
    expect((await rig.ask(account, `?addresses=${gone}`)).status).toBe(403)
  })
})
