import type { Portfolio } from '@coffer/contract'
import { addresses } from '@coffer/devnet'
import { erc20Abi, erc4626Abi, formatUnits, parseUnits } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { NATIVE } from '../../src/domain/evm-address.ts'
import { started } from '../started.ts'
import { atBinance, BINANCE_USD, binanceKey, krakenKey, startVirtualUsers, tradingKey } from '../virtual-users.ts'

const NOT_FRESH_MS = 61_000

const rig = await started(startVirtualUsers())
const account = await rig.newCustomer(10_000)
const hand = await rig.newUser(account, 'BALANCE', 'vault')
const onBinance = await rig.newUser(account, 'CEX', 'trading')
const onKraken = await rig.newUser(account, 'CEX', 'savings')

/** `symbol balance value` of flat assets in order, debts negative. */
const flat = (portfolio: Portfolio | undefined, protocol: string) =>
  portfolio?.assetByProtocols[protocol]?.assets.map(
    ({ symbol, balance, value, side }) => `${side ? '-' : ''}${symbol} ${balance} ${value}`,
  )
/** `type name value` of every position. */
const positions = (portfolio: Portfolio | undefined, protocol: string) =>
  Object.entries(portfolio?.assetByProtocols[protocol]?.chains['cex']?.protocolPositions ?? {}).flatMap(
    ([type, { totalValue, protocolPositions }]) => [
      `${type} ${totalValue}`,
      ...protocolPositions.map(({ name, value }) => `${type} in ${name} ${value}`),
    ],
  )

describe('virtual users of an account', () => {
  it('are listed oldest first, for a credit', async () => {
    const before = await account.client.getCredits()
    expect(await account.client.listVirtualUsers()).toEqual([
      { address: hand, type: 'BALANCE', label: 'vault' },
      { address: onBinance, type: 'CEX', label: 'trading' },
      { address: onKraken, type: 'CEX', label: 'savings' },
    ])
    expect(await account.client.getCredits()).toBe(before - 1)
  })

  it('are nothing before anything is known of them; one that is linked to no exchange says so and fails no other', async () => {
    const [empty] = await rig.portfolios(account, `?addresses=${hand}`)
    expect(empty).toMatchObject({
      address: hand,
      networth: '0',
      cashBalance: '0',
      chains: {},
      asOf: {},
      incomplete: [],
    })
    const before = await rig.ledger(account)
    const both = await rig.portfolios(account, `?addresses=${hand},${onBinance}`)
    expect(both).toMatchObject([
      { address: hand, networth: '0', incomplete: [] },
      { address: onBinance, networth: '0', chains: {}, incomplete: [{ chain: 'cex', reason: 'not-linked' }] },
    ])
    expect((await rig.ledger(account)).slice(before.length)).toEqual(['hold 2', 'post 2'])
  })

  it('are linked with keys that may only read, which are never on a command line', async () => {
    const before = await rig.service.context.database.pool.query('select count(*) from secret')
    const trading = ['virtual-user', 'link', onBinance, '--exchange', 'binance', '--credentials', '-']
    expect(await rig.run(trading, JSON.stringify(tradingKey))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This key may trade and withdraw: create a read-only key at Binance.\n',
    })
    const after = await rig.service.context.database.pool.query('select count(*) from secret')
    expect(after.rows).toEqual(before.rows)
    const permissions = { trade: false, withdraw: false }
    expect(await rig.link(onBinance, 'binance', binanceKey)).toMatchObject({ exchange: 'binance', permissions })
    expect(await rig.link(onKraken, 'kraken', krakenKey)).toMatchObject({ exchange: 'kraken', permissions })
  })
})

describe('balances by hand and accounts at two exchanges', () => {
  beforeAll(async () => {
    const setBalance = (...args: string[]) => rig.admin('virtual-user', 'set-balance', hand, ...args)
    const at = ['--at', '2026-01-01T00:00:00Z']
    const usdt = addresses.ethereum.tokens.usdt
    await setBalance('--chain', 'eth', '--contract', NATIVE, '--amount', '1')
    await setBalance('--chain', 'ethereum', '--contract', NATIVE, '--amount', '2')
    await setBalance('--chain', 'ethereum', '--contract', NATIVE, '--amount', '9', ...at)
    await setBalance('--chain', 'ethereum', '--contract', usdt, '--amount', '1000')
    await setBalance('--chain', 'base', '--contract', addresses.base.tokens.usdc, '--amount', '10')
    await setBalance('--symbol', 'usd', '--price-source', 'fx', '--amount', '250.5')
    await setBalance('--symbol', 'HOUSE', '--price-source', 'fixed:350000.25', '--amount', '0.5')
    rig.clock.advance(NOT_FRESH_MS)
  })

  it('by hand: 2 ETH at 3000, 1000 USDT at 1.0001, 10 USDC, 250.5 USD and half a house', async () => {
    const [shown] = await rig.portfolios(account, `?addresses=${hand}&waitForSync=true`)
    expect(shown).toMatchObject({
      address: hand,
      networth: '182260.725',
      cashBalance: '250.5',
      openPnl: 'N/A',
      closedPnl: 'N/A',
      totalCostBasis: 'N/A',
      chains: {
        ethereum: { value: '7000.1', protocols: ['wallet'] },
        base: { value: '10', protocols: ['wallet'] },
        cex: { key: 'cex', name: 'CEX', value: '175250.625', protocols: ['wallet'] },
      },
      manualBalanceNetworth: '182260.725',
      incomplete: [],
    })
    expect(Object.keys(shown?.assetByProtocols ?? {})).toEqual(['wallet'])
    expect(flat(shown, 'wallet')).toEqual([
      'usdc 10 10',
      'eth 2 6000',
      'usdt 1000 1000.1',
      'house 0.5 175000.125',
      'usd 250.5 250.5',
    ])
    expect(Object.keys(shown?.asOf ?? {})).toEqual(['base', 'ethereum'])
    const block = await rig.devnet.chains.ethereum.client.getBlock({
      blockNumber: BigInt(shown?.asOf['ethereum']?.block ?? 0),
    })
    expect(shown?.asOf['ethereum']?.timestamp).toBe(
      new Date(Number(block.timestamp) * 1000).toISOString().replace('.000', ''),
    )
    const house = shown?.assetByProtocols['wallet']?.assets.find(({ symbol }) => symbol === 'house')
    expect(house).toMatchObject({
      ...{ contract: '', contractAddress: '', chain: 'cex', chainKey: 'cex', chainContract: 'cex:house' },
      ...{ price: '350000.25', priceSource: 'fixed', name: 'house' },
    })
  })

  it('at Binance: spot, funding, earn and margin with a debt, each coin at a sourced price', async () => {
    const [shown] = await rig.portfolios(account, `?addresses=${onBinance}`)
    expect(shown).toMatchObject({
      address: onBinance,
      networth: BINANCE_USD,
      cashBalance: '10.80108',
      asOf: {},
      incomplete: [],
    })
    const cex = {
      key: 'cex',
      name: 'CEX',
      chainId: '',
      value: BINANCE_USD,
      valuePercentile: '100',
      ...{ totalCostBasis: 'N/A', totalOpenPnl: 'N/A', totalClosedPnl: 'N/A', pnlReason: 'no-history' },
      protocols: ['binance'],
    }
    expect(shown?.chains).toEqual({ cex })
    expect(shown?.manualBalanceNetworth).toBe('0')
    expect(shown?.assetByProtocols['binance']).toMatchObject({ key: 'binance', name: 'Binance', value: BINANCE_USD })
    // BTC and ETH by the feeds, USDT at 1.0001 by its listing on a chain, LDO at 2 USDT, EUR at 1.08 USDT, XYZ without
    // a price.
    expect(positions(shown, 'binance')).toEqual([
      'DEPOSIT 33210.82108',
      'YIELD 6000',
      'YIELD in Earn 6000',
      'MARGIN 40497.54995',
      'MARGIN in Margin 40497.54995',
    ])
    expect(flat(shown, 'binance')).toEqual([
      'btc 0.5 30000',
      'ldo 50 100.01',
      'usdt 100 100.01',
      'eur 10 10.80108',
      'xyz 7 0',
      'eth 1 3000',
      'eth 2 6000',
      'btc 1 60000',
      'usdt 500 500.05',
      '-usdt 20000.5 20002.50005',
    ])
    const { MARGIN } = shown?.assetByProtocols['binance']?.chains['cex']?.protocolPositions ?? {}
    const [margin] = MARGIN?.protocolPositions ?? []
    expect(margin?.assets).toEqual([])
    expect(margin?.supplyAssets.map(({ symbol }) => symbol)).toEqual(['btc', 'usdt'])
    expect(margin?.borrowAssets).toMatchObject([{ symbol: 'usdt', side: 'borrow', value: '20002.50005' }])
    const sources = shown?.assetByProtocols['binance']?.assets.map(
      ({ symbol, priceSource }) => `${symbol} ${priceSource}`,
    )
    expect(new Set(sources)).toEqual(
      new Set(['btc chainlink', 'ldo binance', 'usdt aave', 'eur binance', 'xyz null', 'eth chainlink']),
    )
  })

  it('at Kraken: what is free, what earns, and a position on margin', async () => {
    const [shown] = await rig.portfolios(account, `?addresses=${onKraken}`)
    // 15000 + 1000 + 5 · 1.0801 + 12.3456789 + 10.001 free, 6000 earning, 0.1 BTC for 5900 USD of debt.
    expect(shown).toMatchObject({ networth: '22127.7471789', cashBalance: '1005.4005', incomplete: [] })
    expect(positions(shown, 'kraken')).toEqual([
      'DEPOSIT 16027.7471789',
      'YIELD 6000',
      'YIELD in Earn 6000',
      'MARGIN 100',
      'MARGIN in Margin 100',
    ])
  })

  it('all of them: in request order, or as one whose totals are the exact sums, for a credit each', async () => {
    const before = await rig.ledger(account)
    const query = { addresses: [onKraken, hand, onBinance, hand] }
    const each = await account.client.getVirtualUserPortfolio({ query })
    expect(each.map(({ address, networth }) => [address, networth])).toEqual([
      [onKraken, '22127.7471789'],
      [hand, '182260.725'],
      [onBinance, BINANCE_USD],
    ])
    const merged = await account.client.getVirtualUserPortfolio({ query: { ...query, aggregated: true } })
    expect((await rig.ledger(account)).slice(before.length)).toEqual(['hold 3', 'post 3', 'hold 3', 'post 3'])
    expect(merged).toHaveLength(1)
    const [whole] = merged
    expect(whole).toMatchObject({
      address: [hand, onBinance, onKraken].toSorted().join(','),
      networth: '284096.8432089',
      cashBalance: '1266.70158',
      lastUpdated: String(Math.min(...each.map(({ lastUpdated }) => Number(lastUpdated)))),
      chains: {
        base: { value: '10', protocols: ['wallet'] },
        ethereum: { value: '7000.1', protocols: ['wallet'] },
        cex: { value: '277086.7432089', protocols: ['wallet', 'binance', 'kraken'] },
      },
      incomplete: [],
    })
    expect(whole?.asOf).toEqual(each[1]?.asOf)
    expect(Object.values(whole?.assetByProtocols ?? {}).map(({ key, value }) => [key, value])).toEqual([
      ['wallet', '182260.725'],
      ['binance', BINANCE_USD],
      ['kraken', '22127.7471789'],
    ])
    expect(flat(whole, 'binance')).toEqual([
      'btc 1.5 90000',
      'eth 3 9000',
      'usdt 600 600.06',
      'ldo 50 100.01',
      'eur 10 10.80108',
      'xyz 7 0',
      '-usdt 20000.5 20002.50005',
    ])
  })

  it('two of the same exchange: the same coin on the same side is one holding', async () => {
    const twin = await rig.newUser(account, 'CEX', 'trading as well')
    await rig.link(twin, 'binance', binanceKey)
    const [whole] = await rig.portfolios(account, `?addresses=${twin},${onBinance}&aggregated=true`)
    expect(whole?.networth).toBe('159416.74206')
    expect(positions(whole, 'binance')).toEqual([
      'DEPOSIT 66421.64216',
      'YIELD 12000',
      'YIELD in Earn 12000',
      'MARGIN 80995.0999',
      'MARGIN in Margin 80995.0999',
    ])
    const { DEPOSIT } = whole?.assetByProtocols['binance']?.chains['cex']?.protocolPositions ?? {}
    expect(DEPOSIT?.assets.map(({ symbol, balance }) => `${symbol} ${balance}`)).toEqual([
      'btc 1',
      'ldo 100',
      'usdt 200',
      'eur 20',
      'xyz 14',
      'eth 2',
    ])
    await rig.admin('virtual-user', 'remove', twin)
  })

  it('shares of a vault are worth what they stand for', async () => {
    const { client, addresses } = rig.devnet.chains.ethereum
    const shares = await rig.newUser(account, 'BALANCE')
    const of = ['--chain', 'ethereum', '--contract', addresses.local.vault]
    await rig.admin('virtual-user', 'set-balance', shares, ...of, '--amount', '1000')
    const [shown] = await rig.portfolios(account, `?addresses=${shares}`)
    const [asset] = shown?.assetByProtocols['wallet']?.assets ?? []
    const read = { address: addresses.local.vault, abi: erc4626Abi } as const
    const decimals = await client.readContract({ ...read, abi: erc20Abi, functionName: 'decimals' })
    const worth = { ...read, functionName: 'convertToAssets', args: [parseUnits('1000', decimals)] } as const
    // USDC at 1, in units of a millionth.
    expect(Number(asset?.value)).toBeCloseTo(Number(formatUnits(await client.readContract(worth), 6)), 5)
    expect(asset).toMatchObject({ balance: '1000', decimal: String(decimals), priceSource: 'receipt' })
    await rig.admin('virtual-user', 'remove', shares)
  })

  it('have pictures that are served, and links where there is an explorer', async () => {
    const search = `?addresses=${hand},${onBinance}&includeImages=true&includeExplorerUrls=true`
    const shown = await rig.portfolios(account, search)
    const protocols = shown.flatMap(({ assetByProtocols }) => Object.values(assetByProtocols))
    const assets = protocols.flatMap(({ assets }) => assets)
    for (const { chainKey, contract, explorerUrl } of assets) {
      const expected: Record<string, string> = { ethereum: 'https://etherscan.io', base: 'https://basescan.org' }
      const origin = expected[chainKey]
      expect(explorerUrl).toBe(origin && `${origin}/token/${contract}`)
    }
    const chains = shown.flatMap(({ chains }) => Object.values(chains))
    expect(chains.filter(({ explorerAddressUrl }) => explorerAddressUrl)).toEqual([])
    for (const url of new Set([...assets, ...protocols, ...chains].map(({ imgSmall }) => imgSmall ?? ''))) {
      const { status, headers } = await fetch(url)
      expect([url, status, headers.get('content-type')]).toEqual([url, 200, 'image/svg+xml; charset=utf-8'])
    }
    expect(
      (
        await rig.service.get(`/v1/virtual-users/portfolio?addresses=${hand}`, {
          authorization: `Bearer ${account.key}`,
        })
      ).text,
    ).not.toMatch(/img|explorer/)
  })
})

describe('freshness', () => {
  it('a minute from memory, then the old once more while the new is read; waiting gets the new', async () => {
    rig.clock.advance(NOT_FRESH_MS)
    const networth = async (search = '') =>
      (await rig.portfolios(account, `?addresses=${onBinance}${search}`))[0]?.networth
    expect(await networth('&waitForSync=true')).toBe(BINANCE_USD)
    const calls = rig.binance.requests.length
    rig.binance.setBalances(binanceKey.apiKey, { spot: { BTC: { free: '1' } } })
    rig.clock.advance(30_000)
    expect(await networth('&waitForSync=true')).toBe(BINANCE_USD)
    expect(rig.binance.requests.length).toBe(calls)
    rig.clock.advance(31_000)
    expect(await networth()).toBe(BINANCE_USD)
    await expect.poll(() => networth()).toBe('60000')
    rig.binance.setBalances(binanceKey.apiKey, atBinance)
    rig.clock.advance(NOT_FRESH_MS)
    expect(await networth('&waitForSync=true')).toBe(BINANCE_USD)
  })

  it('requests at the same time share one read', async () => {
    rig.clock.advance(NOT_FRESH_MS)
    const before = rig.binance.paths().filter((path) => path === '/api/v3/account').length
    await Promise.all(
      Array.from({ length: 8 }, () => rig.portfolios(account, `?addresses=${onBinance}&waitForSync=true`)),
    )
    expect(rig.binance.paths().filter((path) => path === '/api/v3/account').length).toBe(before + 1)
  })

  it('an operator reads again at once', async () => {
    const calls = rig.binance.requests.length
    const [read] = await rig.admin('virtual-user', 'sync', onBinance)
    expect(read).toMatchObject({ chain: 'cex', protocol: 'binance', holdings: 9, incomplete: [] })
    expect(rig.binance.requests.length).toBeGreaterThan(calls)
    expect(await rig.admin('virtual-user', 'sync', hand)).toMatchObject([
      { chain: 'base', holdings: 1, incomplete: [] },
      { chain: 'ethereum', holdings: 2, incomplete: [] },
      { chain: 'cex', holdings: 2, incomplete: [] },
    ])
  })
})
