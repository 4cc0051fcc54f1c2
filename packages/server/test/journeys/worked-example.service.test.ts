import type { Portfolio } from '@coffer/contract'
import { deployWorkedExample, devnetConfig, exampleCall, startDevnet } from '@coffer/devnet'
import { type Address, erc20Abi, type Hex, maxUint256, parseEther, parseUnits, toHex } from 'viem'
import { expect, inject, test } from 'vitest'
import { decimal, formatDecimal } from '../../src/domain/decimal.ts'
import { updateAccount } from '../../src/features/accounts/accounts.ts'
import { startService, testClock } from '../harness.ts'
import { keyedAccount } from '../ledger/accounts.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'
import { WORKED_EXAMPLE } from '../worked-example.ts'

/** The worked example of docs/accounting.md on two chains: every figure of every step, by both methods. */

const STEP_MS = 15 * 60_000
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400

const random = seededRandom('worked example')
const wallet = random.address()
const outside = random.address()
const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const at = await deployWorkedExample(devnet.chains.ethereum, devnet.chains.base)
await fund()
await toMorning()
const config = devnetConfig()
const service = await started(
  startService({
    devnet,
    clock,
    config: {
      ...config,
      tokens: [...config.tokens, { chain: 'ethereum', address: at.xyz, symbol: 'XYZ', name: 'Xyz', decimals: 18 }],
      protocols: [
        ...config.protocols,
        {
          ...{ family: 'erc4626', key: 'example_vault', name: 'Example Vault', chain: 'ethereum' },
          deployment: { vaults: [at.vault.toLowerCase()] },
        },
      ],
      bridges: [
        { key: 'example_bridge', name: 'Example Bridge', chain: 'ethereum', contracts: [at.bridge.toLowerCase()] },
        { key: 'example_bridge', name: 'Example Bridge', chain: 'base', contracts: [at.farBridge.toLowerCase()] },
      ],
      priceFeeds: [{ chain: 'ethereum', token: at.xyz, aggregator: at.xyzFeed, heartbeatSeconds: 30 * DAY_SECONDS }],
    },
  }),
)
const { db } = service.context.database
const account = await keyedAccount(db, { credits: 1_000 })
await updateAccount(db, account.id, { costMethod: 'FIFO' })

/** Funds for the payouts of the example's contracts, not from the wallet. */
async function fund(): Promise<void> {
  const { ethereum, base } = devnet.chains
  const { actions, addresses } = ethereum
  const market = random.address()
  await actions.native.give(market, parseEther('100'))
  await base.actions.native.give(market, parseEther('10'))
  await ethereum.send({ from: market, to: at.exchange, value: parseEther('10') })
  await ethereum.send({ from: market, to: at.giver, value: parseEther('1') })
  await base.send({ from: market, to: at.farBridge, value: parseEther('1') })
  await actions.erc20.mint(addresses.tokens.usdc, at.exchange, parseUnits('10000', 6))
  await actions.erc20.mint(at.xyz, at.giver, parseEther('100000'))
  await actions.native.give(outside, parseEther('5'))
}

/** Six in the morning of the next day, for both chains and the service: a day must not end during a step. */
async function toMorning(): Promise<void> {
  const { ethereum, base } = devnet.chains
  const times = await Promise.all(
    [ethereum, base].map(async ({ client }) => Number((await client.getBlock()).timestamp)),
  )
  const latest = Math.max(...times, Date.now() / 1000)
  const morning = (Math.floor(latest / DAY_SECONDS) + 1) * DAY_SECONDS + 6 * HOUR_SECONDS
  await travelTo(morning)
  clock.advance(morning * 1000 - clock.now())
}

async function travelTo(time: number): Promise<void> {
  for (const { url } of [devnet.chains.ethereum, devnet.chains.base]) {
    await nodeAt(url).send('evm_setNextBlockTimestamp', time)
    await nodeAt(url).send('evm_mine')
  }
}

/** Sets the price of ether on both chains, and that of XYZ, from the next block on. */
async function price(eth: string, xyz = '2'): Promise<void> {
  const { ethereum, base } = devnet.chains
  await devnet.refreshFeeds()
  await ethereum.actions.feeds.set(ethereum.addresses.feeds.ethUsd, parseUnits(eth, 8))
  await base.actions.feeds.set(base.addresses.feeds.ethUsd, parseUnits(eth, 8))
  await ethereum.actions.feeds.set(at.xyzFeed, parseUnits(xyz, 8))
}

type Call = { to: Address; data?: Hex; value?: bigint }

type Simulated = { calls: { gasUsed: `0x${string}` }[] }

/** A transaction of the wallet whose gas price makes its fee exactly `fee`. */
async function pay(fee: string, call: Call): Promise<void> {
  const node = nodeAt(devnet.chains.ethereum.url)
  const calls = [{ from: wallet, to: call.to, data: call.data ?? '0x', value: toHex(call.value ?? 0n) }]
  const [simulated] = await node.send<Simulated[]>('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')
  const gasUsed = BigInt(simulated?.calls[0]?.gasUsed ?? 0)
  const mined = await node.send<{ status: string }>('eth_sendTransactionSync', {
    from: wallet,
    to: call.to,
    ...(call.data && { data: call.data }),
    value: toHex(call.value ?? 0n),
    gas: toHex((gasUsed * 3n) / 2n),
    gasPrice: toHex(parseEther(fee) / gasUsed),
  })
  expect(mined.status).toBe('0x1')
}

const act = (call: Call) => devnet.chains.ethereum.send({ from: wallet, ...call })
const setRate = (rate: string) => act2(outside, at.exchange, exampleCall('setRate', [parseUnits(rate, 6)]))
const act2 = (from: Address, to: Address, data: Hex) => devnet.chains.ethereum.send({ from, to, data })
const allow = (token: Address, spender: Address) =>
  devnet.chains.ethereum.write({
    from: wallet,
    address: token,
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender, maxUint256],
  })

/** Actions of each step, in the order of the table. */
const STEPS: readonly (() => Promise<unknown>)[] = [
  async () => {
    await price('2000')
    const { tokens } = devnet.chains.ethereum.addresses
    await devnet.chains.ethereum.actions.erc20.mint(tokens.usdc, wallet, parseUnits('10000', 6))
  },
  () => devnet.chains.ethereum.send({ from: outside, to: wallet, value: parseEther('0.5') }),
  async () => {
    await allow(devnet.chains.ethereum.addresses.tokens.usdc, at.exchange)
    await setRate('2000')
    await pay('0.01', { to: at.exchange, data: exampleCall('buyCoins', [parseUnits('4000', 6)]) })
  },
  async () => {
    await price('3000')
    await setRate('3000')
    await pay('0.01', { to: at.exchange, data: exampleCall('buyCoins', [parseUnits('3000', 6)]) })
  },
  () => pay('0.005', { to: at.gateway, data: exampleCall('depositCoins'), value: parseEther('2') }),
  async () => {
    await price('3200')
    await act({ to: at.giver, data: exampleCall('claim', [parseEther('0.1')]) })
  },
  async () => {
    await price('3500')
    const { actions, addresses } = devnet.chains.ethereum
    // One unit more than the example: the vault rounds a share's worth down.
    await actions.erc20.mint(addresses.tokens.weth, at.vault, parseEther('0.02') + 2n)
    await allow(at.vault, at.gateway)
    await act({ to: at.gateway, data: exampleCall('withdrawCoins', [parseEther('2.02')]) })
  },
  async () => {
    await setRate('3500')
    await act({ to: at.exchange, data: exampleCall('sellCoins'), value: parseEther('1.5') })
  },
  async () => {
    await price('3600')
    await act({ to: outside, value: parseEther('0.5') })
  },
  async () => {
    const receivers = [wallet, ...Array.from({ length: 30 }, () => random.address())]
    await act2(outside, at.giver, exampleCall('airdrop', [at.xyz, receivers, parseEther('100')]))
  },
  async () => {
    await act({ to: at.bridge, data: exampleCall('send'), value: parseEther('0.3') })
    // A bridge takes its time.
    clock.advance(STEP_MS)
    await travelTo(Math.floor(clock.now() / 1000))
    const deliver = exampleCall('deliver', [wallet, parseEther('0.299')])
    await devnet.chains.base.send({ from: outside, to: at.farBridge, data: deliver })
  },
]

/** Syncs, and returns the portfolio by both methods a quarter of an hour later. */
async function portfolios(): Promise<{ average: Portfolio; fifo: Portfolio }> {
  clock.advance(STEP_MS)
  await travelTo(Math.floor(clock.now() / 1000))
  expect(await syncTransactions(service, wallet)).toBe('done')
  const of = async (key: string) => {
    const response = await service.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`, {
      authorization: `Bearer ${key}`,
    })
    const [portfolio] = response.json() as Portfolio[]
    if (!portfolio) throw new Error('no portfolio')
    return portfolio
  }
  return { average: await of(service.ownerKey), fifo: await of(account.key) }
}

const etherOn = (chain: string, { assetByProtocols }: Portfolio) =>
  assetByProtocols['wallet']?.assets.find((asset) => asset.chainKey === chain && asset.symbol === 'eth')

/** Rounds to the digits of the expected figure. */
function rounded(figure: string | undefined, like: string): string {
  const digits = like.split('.')[1]?.length ?? 0
  return formatDecimal(decimal(figure ?? '0').round(digits))
}

test('every figure of every step, as transactions on two chains', async () => {
  for (const [i, step] of WORKED_EXAMPLE.entries()) {
    await STEPS[i]?.()
    const { average, fifo } = await portfolios()
    const expected = { AVG: step.average, FIFO: step.fifo }
    for (const [method, portfolio] of [
      ['AVG', average],
      ['FIFO', fifo],
    ] as const) {
      const ether = etherOn('ethereum', portfolio)
      const { basis, closedPnl } = expected[method]
      const shown = {
        eth: rounded(ether?.balance, step.eth),
        basis: rounded(ether?.totalCostBasis, basis),
        closedPnl: rounded(portfolio.closedPnl, closedPnl),
        income: rounded(portfolio.dailyIncome, step.income),
        feesUsd: rounded(portfolio.feesFiat, step.feesUsd),
      }
      const { eth, income, feesUsd } = step
      expect([step.name, method, shown]).toEqual([step.name, method, { eth, basis, closedPnl, income, feesUsd }])
    }
  }

  await price('4000', '1.5')
  const { average, fifo } = await portfolios()
  const totals = ({ networth, totalCostBasis, openPnl, closedPnl }: Portfolio, digits: string) =>
    [networth, totalCostBasis, openPnl, closedPnl].map((figure) => rounded(figure, digits))
  expect(totals(average, '0.00000001').slice(0, 1)).toEqual(['14776'])
  expect(rounded(average.totalCostBasis, '12145.9969394')).toBe('12145.9969394')
  expect(rounded(average.openPnl, '2630.0030606')).toBe('2630.0030606')
  expect(totals(fifo, '0')).toEqual(['14776', '12788', '1988', '2250'])
  expect(rounded(etherOn('base', average)?.totalCostBasis, '693.28926279')).toBe('693.28926279')
  expect(etherOn('base', fifo)?.totalCostBasis).toBe('598')
  expect(rounded(formatDecimal(decimal(average.fees).div(decimal(10n ** 18n))), '0.025')).toBe('0.025')
})
