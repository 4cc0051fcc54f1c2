// What the first read of a wallet takes on Ethereum with the published lists and every family: calls that follow each
// other, bytes, gas and client CPU, for a wallet that holds nothing, the one of the demonstration, and one with 200
// positions. The chain is local; every listed token that is not on it stands there with code that answers. Nothing was
// known of the wallets but what their logs name. Exits 1 when a promise is not kept.
import { cpus } from 'node:os'
import { NAV_CURRENCIES } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { readConfig } from '../src/config/config.ts'
import { rpcVariable } from '../src/config/env.ts'
import { kindSettingsOf } from '../src/config/kind-settings.ts'
import type { Database } from '../src/db/database.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import { historyStores } from '../src/features/history/module.ts'
import { kinds } from '../src/kinds/kinds.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { openReading } from '../src/reading/open-reading.ts'
import { nodeAt } from '../test/local-node.ts'
import { type RpcCall, startRpcProxy } from '../test/rpc-proxy.ts'
import { placeContracts, testAddress } from '../test/test-tokens.ts'
import { benchOverDatabase } from './bench-database.ts'
import { median } from './median.ts'

const CHAIN = 'ethereum'
const ROUNDS = 15
const POSITIONS = 200
const PROMISED_GAS = 50_000_000n
const PROMISED_WAVES = 2

type Figures = { waves: number; requests: number; bytes: number[]; gas: bigint[]; cpuMs: number; positions: number }

const devnet = await startDevnet()
const chain = devnet.chains.ethereum
const node = nodeAt(chain.url)
const proxy = await startRpcProxy(chain.url)

/** Positions of Uniswap v3, half of them around the price. */
async function openPositions(wallet: EvmAddress): Promise<void> {
  const { erc20, uniswapV3 } = chain.actions
  const { usdc, weth } = chain.addresses.tokens
  await erc20.mint(usdc, wallet, parseUnits('1000000', 6))
  await erc20.mint(weth, wallet, parseEther('1000'))
  for (let i = 0; i < POSITIONS; i += 1) {
    const range = i % 2 === 0 ? { below: 1500 + 10 * i, above: 1500 } : { below: -6000, above: 9000 + 10 * i }
    const sides = [
      { token: usdc, amount: parseUnits('300', 6) },
      { token: weth, amount: parseEther('0.1') },
    ] as const
    await uniswapV3.mint(wallet, ...sides, 500, range)
  }
}

/** Gas that the node takes for a call which was made before. */
async function gasOf({ params }: RpcCall): Promise<bigint> {
  const [transaction, block, stateOverrides] = params
  const options = {
    tracer: 'callTracer',
    tracerConfig: { onlyTopCall: true },
    ...(stateOverrides ? { stateOverrides } : {}),
  }
  const trace = await node.send<{ gasUsed: string }>('debug_traceCall', transaction, block, options)
  return BigInt(trace.gasUsed)
}

async function bench(database: Database): Promise<string[]> {
  const config = readConfig(
    { COFFER_CHAINS: CHAIN, COFFER_LOCAL_CHAINS: CHAIN, [rpcVariable(CHAIN)]: proxy.url },
    () => '',
  )
  const reading = openReading({
    ...{ config, settings: kindSettingsOf(config, NAV_CURRENCIES), rpcVariable, database, kinds },
    ...{ stores: historyStores(database), metrics: createMetrics({ gauges: [] }), clock: systemClock },
    logger: createLogger({ level: 'error' }),
  })
  const facts = reading.enabled.find(({ key }) => key === CHAIN)
  const evm = reading.readingOf(CHAIN)
  if (!facts || !evm?.search) throw new Error(`${CHAIN} is not enabled`)
  const { collect, search } = evm
  const listed = reading.catalog.list(CHAIN).map(({ address }) => evmAddress(address))
  const there = await Promise.all(listed.map((address) => chain.client.getCode({ address })))
  await placeContracts(
    node,
    listed.flatMap((address, i) => (there[i] ? [] : [{ address, code: 'token' as const }])),
  )

  async function readOnce(wallet: EvmAddress): Promise<Figures> {
    proxy.reset()
    const before = process.cpuUsage()
    const { read } = await collect(facts as NonNullable<typeof facts>, wallet)
    const { user, system } = process.cpuUsage(before)
    const calls = proxy.calls().filter(({ method }) => method === 'eth_call')
    return {
      ...{ waves: calls.length, requests: proxy.requests(), cpuMs: (user + system) / 1000 },
      bytes: calls.map((call) => JSON.stringify(call).length),
      gas: await Promise.all(calls.map(gasOf)),
      positions: read.positions.length,
    }
  }

  /** Each round reads anew with nothing planned; its figures but the CPU are the same every time. */
  async function measured(what: string, walletOf: (round: number) => EvmAddress): Promise<Figures> {
    const rounds: Figures[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const wallet = walletOf(round)
      const { number, hash } = await chain.client.getBlock()
      await search?.(facts as NonNullable<typeof facts>, wallet, { block: number, hash })
      rounds.push(await readOnce(wallet))
    }
    const last = rounds.at(-1) as Figures
    const figures = { ...last, cpuMs: median(rounds.slice(1).map(({ cpuMs }) => cpuMs)) }
    const each = (values: readonly (number | bigint)[]) => values.map((value) => value.toLocaleString('en')).join(' + ')
    console.log(
      `${what}: ${figures.positions} positions, ${figures.waves} calls in ${figures.requests} requests, ` +
        `${each(figures.bytes)} bytes, ${each(figures.gas)} gas, CPU ${figures.cpuMs.toFixed(1)} ms`,
    )
    return figures
  }

  console.log(
    `first reads on ${CHAIN}, ${listed.length} listed tokens, median of ${ROUNDS}; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`,
  )
  const many = testAddress(7, 1)
  await openPositions(many)
  const results = [
    await measured('a wallet that holds nothing', (round) => testAddress(6, round + 1)),
    await measured('the wallet of the demonstration', () => evmAddress(devnet.wallets.demo.address)),
    await measured('the farmer of the demonstration', () => evmAddress(devnet.wallets.farmer.address)),
    await measured(`a wallet with ${POSITIONS} positions of Uniswap v3`, () => many),
  ]
  return results.flatMap(({ waves, gas }) => [
    ...(waves > PROMISED_WAVES ? [`${waves} calls; promised ${PROMISED_WAVES}`] : []),
    ...gas.filter((each) => each > PROMISED_GAS).map((each) => `${each} gas in a call; promised ${PROMISED_GAS}`),
  ])
}

try {
  await benchOverDatabase(bench)
} finally {
  await proxy.stop()
  await devnet.stop()
}
