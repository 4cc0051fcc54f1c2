import { devnetConfig, openShowcase, startDevnet } from '@coffer/devnet'
import { expect, inject, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService } from '../harness.ts'
import { started } from '../started.ts'
import { readPortfolio } from '../strict-reader.ts'

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const showcase = await openShowcase(devnet.chains.ethereum)
await devnet.refreshFeeds()
const wallet = showcase.wallet
const service = await started(startService({ devnet, config: devnetConfig(showcase) }))

test('the wallet of the showcase has a position with a value in each of its protocols', async () => {
  const staking = ['local_eigenlayer', 'local_etherfi', 'local_rocketpool', 'local_umbrella', 'local_rate_token']
  const lending = ['local_maker', 'local_sky_staking', 'local_fluid']
  const local = ['local_chef', 'local_solidly', 'local_slipstream', 'local_algebra', ...lending, ...staking]
  const protocols = ['curve', 'balancer', 'convex', 'pendle', ...local]
  const whole = async () => {
    const [portfolio] = await service.client.getPortfolio({
      query: { addresses: [wallet], includeImages: true, includeExplorerUrls: true },
    })
    if (!portfolio) throw new Error('no portfolio')
    expect(portfolio.incomplete).toEqual([])
    const valued = Object.entries(portfolio.assetByProtocols).filter(([, { value }]) => Number(value) > 0)
    expect(valued.map(([key]) => key)).toEqual(expect.arrayContaining(protocols))
    expect(valued.map(([, { name }]) => name)).not.toContainEqual(expect.stringMatching(/token|local_/i))
    return portfolio
  }
  // The background search of the first read finds unlisted receipts.
  const portfolio = await vi.waitFor(whole, { timeout: HANGS_MS, interval: 200 })
  readPortfolio(portfolio)
  // A coin is 3,000 USD, and a UNI 8.
  expect(portfolio.assetByProtocols).toMatchObject({
    local_eigenlayer: { value: `${400 * 8}` },
    local_etherfi: { value: `${6 * 3_000}` },
    local_rocketpool: { value: `${300 * 8 + 4 * 3_000}` },
    local_rate_token: { value: '10260' }, // 3 tokens of 1.14 coins
  })
  const nfts = portfolio.assetByProtocols['local_slipstream']?.chains['ethereum']?.protocolPositions
  const ranges = Object.entries(nfts ?? {}).map(([kind, { protocolPositions }]) => [kind, protocolPositions.length])
  expect(ranges).toEqual([
    ['NFTLIQUIDITYPOOL', 1],
    ['FARMING', 1],
  ])
})
