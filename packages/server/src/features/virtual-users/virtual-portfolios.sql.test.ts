import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import type { ReadTokens } from '../../chains/chain-reading.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import type { Exchange, ExchangeRead } from '../../exchanges/exchange.ts'
import { secret } from '../../lib/secret.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createPriceSymbol } from '../../prices/symbol-prices.ts'
import { createMasterKeys } from '../secrets/master-keys.ts'
import { openVault } from '../secrets/secret-vault.ts'
import { type BalanceAsset, recordBalance } from './balances.ts'
import { linkExchange, unlinkExchange } from './exchange-links.ts'
import { createVirtualPortfolios } from './virtual-portfolios.ts'
import { findReads, saveRead } from './virtual-read-store.ts'
import { createVirtualUser, removeVirtualUser } from './virtual-users.ts'

const START = Date.UTC(2026, 0, 1)
const weth = `0x${'c'.repeat(40)}` as const
const MINUTE = 60_000

const database = await suiteDatabase('virtual_portfolios')
const keys = createMasterKeys({ configured: [secret('7f'.repeat(32))], dataDir: '/nowhere' })
const vault = await openVault(database.db, keys)
const accountId = await accountWith(database.db, 0)

/** One chain with WETH at `state.weth`, rates for USD and EUR, one exchange with `state.account`. */
function rig() {
  const { db } = database
  const state = {
    now: START,
    weth: '3000' as string | null,
    eur: '1.1' as string | null,
    account: { balances: [], quotes: [], gaps: [] } as Omit<ExchangeRead, 'readAt'>,
    down: new Set<string>(),
    reads: 0,
    /** Runs during the read of a chain. */
    during: undefined as (() => Promise<void>) | undefined,
  }
  const clock = { now: () => state.now }
  const log = { warn: () => undefined }
  const fail = (what: string) => {
    state.reads += 1
    if (state.down.has(what)) throw new UpstreamError('unavailable', `${what} is down`)
  }
  const readTokens: ReadTokens = async (chain, amounts, before = []) => {
    fail(chain)
    await state.during?.()
    const [kept] = before
    const price = { chain, token: weth, source: 'chainlink', confidence: 1 }
    return {
      ...{ block: 7n, blockTime: Math.floor(state.now / 1000) },
      tokens: amounts.has(weth)
        ? [{ chain, address: weth, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, listed: true }]
        : [],
      prices: state.weth === null ? before.slice(0, 1) : [{ ...price, usd: decimal(state.weth) }],
      gaps: state.weth === null ? [{ reason: kept ? 'stale' : 'unreadable' }] : [],
    }
  }
  const exchange: Exchange = {
    key: 'binance',
    name: 'Binance',
    needs: ['apiKey', 'secret'],
    permissions: async () => ({ trade: false, withdraw: false }),
    async read({ apiKey }) {
      fail('binance')
      expect(apiKey).toBe('key')
      return { readAt: state.now, ...state.account }
    },
  }
  const rates = {
    async usdPerUnit(currency: string) {
      const known: Record<string, string | null> = { USD: '1', EUR: state.eur }
      const usd = known[currency] ?? null
      return usd === null ? undefined : { usd: decimal(usd), source: 'rates' }
    },
  }
  const portfolios = createVirtualPortfolios({
    ...{ db, vault, readTokens, rates, clock, log },
    exchanges: { list: async () => [], find: async (key) => (key === 'binance' ? exchange : undefined) },
    priceSymbol: createPriceSymbol({ rates, coins: [] }),
    stablecoins: { price: async () => undefined },
  })

  async function byHand(...assets: [BalanceAsset, string][]): Promise<string> {
    const { id } = await createVirtualUser(db, { accountId, type: 'BALANCE', label: 'x' })
    for (const [asset, amount] of assets) await set(id, asset, amount)
    return id
  }
  async function atExchange(): Promise<string> {
    const { id } = await createVirtualUser(db, { accountId, type: 'CEX', label: 'x' })
    await link(id)
    return id
  }
  async function link(id: string): Promise<void> {
    expect(await linkExchange({ db, vault }, id, exchange, { apiKey: 'key', secret: 's' })).toHaveProperty('link')
  }
  const set = (virtualUserId: string, asset: BalanceAsset, amount: string) =>
    recordBalance(db, { virtualUserId, asset, amount: decimal(amount), changedAt: new Date() })

  /** `chain value` of each read, and the gaps. */
  async function ask(id: string, waitForSync = false) {
    const { reads, incomplete, cashBalance } = await portfolios.getState(id, waitForSync)
    return {
      values: reads.map(({ read, value }) => `${read.chain} ${formatDecimal(value)}`),
      cash: formatDecimal(cashBalance ?? decimal('0')),
      gaps: [...incomplete, ...reads.flatMap(({ read }) => read.gaps.map((gap) => ({ chain: read.chain, ...gap })))],
    }
  }
  return { state, portfolios, byHand, atExchange, link, set, ask }
}

const token = { chain: 'ethereum', contract: weth }
const euro = { symbol: 'EUR', priceSource: 'fx' }
const balance = (account: 'spot' | 'earn', symbol: string, owned: string) => ({
  ...{ account, symbol, owned: decimal(owned), borrowed: decimal('0') },
})
const quote = (symbol: string, usd: string) => ({ symbol, quote: 'USD', price: decimal(usd) })

test('balances by hand are worth what they fetch on their chain and by their rates', async () => {
  const { byHand, ask } = rig()
  const id = await byHand([token, '2'], [euro, '100'])
  expect(await ask(id)).toEqual({ values: ['ethereum 6000', 'cex 110'], cash: '110', gaps: [] })
})

test('no balances are worth nothing, and an account that is linked to nothing says so', async () => {
  const { byHand, atExchange, ask } = rig()
  expect(await ask(await byHand())).toEqual({ values: ['cex 0'], cash: '0', gaps: [] })
  expect(await ask(await byHand([euro, '0']))).toMatchObject({ values: ['cex 0'], gaps: [] })
  const id = await atExchange()
  await unlinkExchange(database.db, id)
  const unlinked = { chain: 'cex', reason: 'not-linked' }
  expect(await ask(id)).toEqual({ values: ['cex 0'], cash: '0', gaps: [unlinked] })
})

test('a read is kept for a minute, then answered once more while it is renewed; waiting gets the new one', async () => {
  const { state, byHand, ask } = rig()
  const [id, waiting] = [await byHand([token, '2']), await byHand([token, '2'])]
  await ask(id)
  await ask(waiting)
  state.weth = '4000'
  state.now += MINUTE - 1
  expect(await ask(id, true)).toMatchObject({ values: ['ethereum 6000'] })
  state.now += 1
  expect(await ask(id)).toMatchObject({ values: ['ethereum 6000'] })
  await expect.poll(() => ask(id)).toMatchObject({ values: ['ethereum 8000'] })
  expect(await ask(waiting, true)).toMatchObject({ values: ['ethereum 8000'] })
})

test('what the account changes is shown by the next answer of any process, though the last one is fresh', async () => {
  const [one, other] = [rig(), rig()]
  const everywhere = async (id: string, shown: object) => {
    for (const { ask } of [one, other]) expect(await ask(id)).toMatchObject(shown)
  }
  const id = await one.byHand()
  await everywhere(id, { values: ['cex 0'], gaps: [] })
  await one.set(id, token, '2')
  await everywhere(id, { values: ['ethereum 6000'], gaps: [] })
  await other.set(id, token, '3')
  await other.set(id, euro, '10')
  await everywhere(id, { values: ['ethereum 9000', 'cex 11'], gaps: [] })
  await one.set(id, euro, '0')
  await everywhere(id, { values: ['ethereum 9000'], gaps: [] })

  other.state.account.balances = [balance('spot', 'USD', '5')]
  one.state.account.balances = [balance('spot', 'USD', '5')]
  const linked = await one.atExchange()
  await everywhere(linked, { values: ['cex 5'], gaps: [] })
  await unlinkExchange(database.db, linked)
  await everywhere(linked, { values: ['cex 0'], gaps: [{ chain: 'cex', reason: 'not-linked' }] })
  await one.link(linked)
  await everywhere(linked, { values: ['cex 5'], gaps: [] })
})

test('a balance that changes while it is read is read again before it is answered', async () => {
  const { state, byHand, set, ask } = rig()
  const id = await byHand([token, '2'])
  state.during = async () => {
    state.during = undefined
    await set(id, token, '3')
  }
  expect(await ask(id)).toEqual({ values: ['ethereum 9000'], cash: '0', gaps: [] })
  expect(state.reads).toBe(2)
})

test('a chain that fails keeps its last read, marked; one never read is missing, and no read at all is a 502', async () => {
  const { state, byHand, set, ask } = rig()
  const id = await byHand([token, '2'])
  await ask(id)
  state.now += MINUTE
  state.down.add('ethereum')
  expect(await ask(id, true)).toMatchObject({
    values: ['ethereum 6000'],
    gaps: [{ chain: 'ethereum', reason: 'stale' }],
  })
  await set(id, { chain: 'base', contract: weth }, '1')
  state.down.add('base')
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({
    values: ['ethereum 6000'],
    gaps: [
      { chain: 'base', reason: 'unreadable' },
      { chain: 'ethereum', reason: 'stale' },
    ],
  })
  await expect(ask(await byHand([token, '1']))).rejects.toMatchObject({ status: 502 })
})

test('a price that cannot be had now is the last one known, marked; one never known is missing, not zero', async () => {
  const { state, byHand, ask } = rig()
  const id = await byHand([token, '2'], [euro, '100'])
  await ask(id)
  Object.assign(state, { now: state.now + MINUTE, weth: null, eur: null })
  const stale = [
    { chain: 'ethereum', reason: 'stale' },
    { chain: 'cex', reason: 'stale' },
  ]
  expect(await ask(id, true)).toEqual({ values: ['ethereum 6000', 'cex 110'], cash: '110', gaps: stale })
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({ values: ['ethereum 6000', 'cex 110'], gaps: stale })
  expect(await ask(await byHand([euro, '5']))).toEqual({
    ...{ values: ['cex 0'], cash: '0' },
    gaps: [{ chain: 'cex', reason: 'unreadable' }],
  })
})

test('an exchange that is down: the last good read, marked; without any a 502', async () => {
  const { state, atExchange, ask } = rig()
  state.account.balances = [balance('spot', 'BTC', '0.5'), balance('spot', 'EUR', '10'), balance('spot', 'XYZ', '4')]
  state.account.quotes = [quote('BTC', '60000')]
  const id = await atExchange()
  const good = { values: ['cex 30011'], cash: '11' }
  expect(await ask(id)).toEqual({ ...good, gaps: [] })
  state.down.add('binance')
  state.now += MINUTE
  expect(await ask(id, true)).toEqual({ ...good, gaps: [{ chain: 'cex', protocol: 'binance', reason: 'stale' }] })
  await expect(ask(await atExchange())).rejects.toMatchObject({ status: 502 })
})

test('a part of an account that cannot be read is kept from the last read, marked', async () => {
  const { state, atExchange, ask } = rig()
  state.account = {
    balances: [balance('spot', 'USD', '5')],
    quotes: [],
    gaps: [{ account: 'earn', reason: 'not-allowed' }],
  }
  const id = await atExchange()
  const gap = (reason: string) => ({ chain: 'cex', protocol: 'binance', reason })
  expect(await ask(id)).toMatchObject({ values: ['cex 5'], gaps: [gap('not-allowed')] })
  state.account = {
    balances: [balance('spot', 'USD', '5'), balance('earn', 'BTC', '1')],
    quotes: [quote('BTC', '100')],
    gaps: [],
  }
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({ values: ['cex 105'], gaps: [] })
  state.account = {
    balances: [balance('spot', 'USD', '7')],
    quotes: [],
    gaps: [{ account: 'earn', reason: 'unreadable' }],
  }
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({ values: ['cex 107'], gaps: [gap('stale')] })
  state.account.gaps = []
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({ values: ['cex 7'], gaps: [] })
})

test('a secret that is not as it was written: the last good read, marked; without any a 502', async () => {
  const { state, atExchange, ask } = rig()
  state.account.balances = [balance('spot', 'USD', '5')]
  const [id, unread] = [await atExchange(), await atExchange()]
  await ask(id)
  await database.pool.query('update secret set ciphertext = set_byte(ciphertext, 3, get_byte(ciphertext, 3) # 1)')
  state.now += MINUTE
  expect(await ask(id, true)).toMatchObject({
    values: ['cex 5'],
    gaps: [{ chain: 'cex', protocol: 'binance', reason: 'stale' }],
  })
  await expect(ask(unread)).rejects.toMatchObject({
    status: 502,
    message: `virtual:${unread} could not be read; try again`,
  })
})

test('a read never goes back, and outlives neither its link nor its virtual user', async () => {
  const { db } = database
  const { state, portfolios, atExchange, ask } = rig()
  state.account.balances = [balance('spot', 'USD', '5')]
  const id = await atExchange()
  await ask(id)
  const [last] = await findReads(db, id)
  if (!last) throw new Error('nothing was stored')
  const at = (readAt: number) => ({ ...last, read: { ...last.read, readAt } })
  await saveRead(db, id, at(START - 1))
  expect((await findReads(db, id)).map(({ read }) => read.readAt)).toEqual([START])
  await saveRead(db, id, at(START + 1))
  expect((await findReads(db, id)).map(({ read }) => read.readAt)).toEqual([START + 1])
  await unlinkExchange(database.db, id)
  expect(await findReads(db, id)).toEqual([])
  await expect(saveRead(db, id, at(START + 2))).rejects.toThrow('foreign key')
  await removeVirtualUser(database.db, id)
  await saveRead(db, id, { ...at(START + 3), linkId: null })
  expect(await findReads(db, id)).toEqual([])
  await expect(portfolios.getState(id, false)).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test('what is stored is read back to the last digit', async () => {
  const { db } = database
  const { byHand } = rig()
  const id = await byHand()
  const digits = '123456789012345678901234567890.123456789012345678'
  const holding = {
    account: 'margin',
    token: { address: '', symbol: 'BTC', name: 'BTC', decimals: 18 },
    owned: decimal(digits),
    borrowed: decimal('0.000000000000000001'),
    price: { usd: decimal('0.1'), source: 'binance' },
  } as const
  const read = { chain: 'cex', readAt: START, gaps: [], block: 2n ** 70n, blockTime: 5, holdings: [holding] }
  await saveRead(db, id, { source: 'symbols', linkId: null, version: '9', read })
  expect(await findReads(db, id)).toEqual([{ source: 'symbols', linkId: null, version: '9', read }])
})
