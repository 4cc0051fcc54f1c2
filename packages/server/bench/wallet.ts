// First and next reads of a wallet on Ethereum with the published lists and every protocol: trips, calls, bytes, gas,
// time, client CPU. The chain is local. Missing listed tokens have code that answers. Only logs are known of the
// wallet. Exits 1 if a target is missed.
import { cpus } from 'node:os'
import { NAV_CURRENCIES } from '@coffer/contract'
import { devnetConfig, openShowcase, startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import type { ChainReading } from '../src/chains/chain-reading.ts'
import { chainTypes } from '../src/chains/chain-types.ts'
import type { Collected } from '../src/chains/collected.ts'
import { chainTypeSettingsOf, readConfig } from '../src/config/config.ts'
import { rpcVariable } from '../src/config/env.ts'
import type { Database } from '../src/db/database.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import { historyStores } from '../src/features/history/module.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { createReading, type Reading } from '../src/wallets/create-reading.ts'
import { nodeAt } from '../test/local-node.ts'
import { type RpcCall, startRpcProxy } from '../test/rpc-proxy.ts'
import { placeContracts, testAddress } from '../test/test-tokens.ts'
import { benchOverDatabase } from './bench-database.ts'
import { median } from './median.ts'

const CHAIN = 'ethereum'
const ROUNDS = 15
const POSITIONS = 200
const PROMISED_GAS = 50_000_000n
const FIRST_TRIPS = 2
const NEXT_TRIPS = 1
/**
 * Only the position reveals a chef pool's contents. Its pair share is unwrapped after it, and a pool prices the pair's
 * tokens in the last trip if other wallets' calls are foreseen.
 */
const CHEF_TRIPS = 4

/** `calls`: in order, with bytes and gas. `trips`: sequential requests. */
type Figures = {
  trips: number
  requests: number
  calls: { sent: number; answered: number; gas: bigint }[]
  ms: number
  cpuMs: number
  positions: number
  protocols: number
}
type Facts = Parameters<ChainReading['collect']>[0]

const devnet = await startDevnet()
const chain = devnet.chains.ethereum
const showcase = await openShowcase(chain)
await devnet.refreshFeeds()
const node = nodeAt(chain.url)
const proxy = await startRpcProxy(chain.url)

/** Positions of Uniswap v3, half of them in range. */
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

function openService(database: Database) {
  const env = { COFFER_CHAINS: CHAIN, COFFER_LOCAL_CHAINS: CHAIN, [rpcVariable(CHAIN)]: proxy.url }
  const file = JSON.stringify(devnetConfig(showcase))
  const config = readConfig({ ...env, COFFER_CONFIG: 'coffer.json' }, () => file)
  return createReading({
    ...{ config, settings: chainTypeSettingsOf(config, NAV_CURRENCIES), rpcVariable, database, chainTypes },
    ...{ stores: historyStores(database.db), metrics: createMetrics({ gauges: [] }), clock: systemClock },
    logger: createLogger({ level: 'error' }),
  })
}

/** Places code that answers at missing listed tokens. Returns the number of listed tokens. */
async function placeListed({ catalog }: Reading): Promise<number> {
  const listed = catalog.list(CHAIN).map(({ address }) => evmAddress(address))
  const there = await Promise.all(listed.map((address) => chain.client.getCode({ address })))
  await placeContracts(
    node,
    listed.flatMap((address, i) => (there[i] ? [] : [{ address, code: 'token' as const }])),
  )
  return listed.length
}

async function readOnce(
  { collect }: Pick<ChainReading, 'collect'>,
  ...asked: Parameters<ChainReading['collect']>
): Promise<{ figures: Figures; collected: Collected }> {
  proxy.reset()
  const [before, began] = [process.cpuUsage(), performance.now()]
  const collected = await collect(...asked)
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  const [trips, requests] = [proxy.trips(), proxy.requests()]
  const calls = proxy.calls().filter(({ method }) => method === 'eth_call')
  const figures = calls.map(async (call) => ({
    sent: JSON.stringify(call).length,
    answered: proxy.bytesOf(call),
    gas: await gasOf(call),
  }))
  const { positions } = collected.read
  return {
    collected,
    figures: {
      ...{ trips, requests, ms, cpuMs: (user + system) / 1000, calls: await Promise.all(figures) },
      ...{ positions: positions.length, protocols: new Set(positions.map(({ protocol }) => protocol)).size },
    },
  }
}

/** All figures except times are equal in every round. The first warms up. */
function medianOf(rounds: readonly Figures[]): Figures {
  const [last, measured] = [rounds.at(-1) as Figures, rounds.slice(1)]
  return { ...last, ms: median(measured.map(({ ms }) => ms)), cpuMs: median(measured.map(({ cpuMs }) => cpuMs)) }
}

function say(what: string, { positions, protocols, trips, requests, calls, ms, cpuMs }: Figures): void {
  const each = (values: readonly (number | bigint)[]) => values.map((value) => value.toLocaleString('en')).join(' + ')
  console.log(
    `${what}: ${positions} positions in ${protocols} protocols, ${trips} trips, ${calls.length} calls in ${requests} requests, ` +
      `${each(calls.map(({ sent }) => sent))} bytes up, ${each(calls.map(({ answered }) => answered))} down, ` +
      `${each(calls.map(({ gas }) => gas))} gas, ${ms.toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms`,
  )
}

function missedBy(what: string, { trips, calls }: Figures, promised: number): string[] {
  return [
    ...(trips > promised ? [`${what}: ${trips} trips; promised ${promised}`] : []),
    ...(calls.length > trips ? [`${what}: ${calls.length} calls in ${trips} trips; promised one a trip`] : []),
    ...calls.filter(({ gas }) => gas > PROMISED_GAS).map(({ gas }) => `${what}: ${gas} gas; promised ${PROMISED_GAS}`),
  ]
}

async function bench(database: Database): Promise<string[]> {
  const reading = openService(database)
  const facts = reading.enabled.find(({ key }) => key === CHAIN) as Facts
  const evm = reading.enabledReading(CHAIN)
  const listed = await placeListed(reading)
  console.log(
    `reads on ${CHAIN}, ${listed} listed tokens, median of ${ROUNDS}; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`,
  )

  /** Each round reads a new wallet, and again at the next block as a known one. */
  async function measured(
    what: string,
    walletOf: (round: number) => EvmAddress,
    firstTrips = FIRST_TRIPS,
  ): Promise<string[]> {
    const first: Figures[] = []
    const next: Figures[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const wallet = walletOf(round)
      const { number, hash } = await chain.client.getBlock()
      await evm.search?.(facts, wallet, { block: number, hash })
      const { figures, collected } = await readOnce(evm, facts, wallet)
      first.push(figures)
      await chain.client.mine({ blocks: 1 })
      next.push((await readOnce(evm, facts, wallet, collected)).figures)
    }
    const reads = [
      { name: `${what}, first`, figures: medianOf(first), promised: firstTrips },
      { name: `${what}, next`, figures: medianOf(next), promised: NEXT_TRIPS },
    ]
    for (const { name, figures } of reads) say(name, figures)
    return reads.flatMap(({ name, figures, promised }) => missedBy(name, figures, promised))
  }

  const many = testAddress(7, 1)
  await openPositions(many)
  return [
    ...(await measured('a wallet that holds nothing', (round) => testAddress(6, round + 1))),
    ...(await measured('the wallet of the demonstration', () => evmAddress(devnet.wallets.demo.address))),
    ...(await measured('the farmer of the demonstration', () => evmAddress(devnet.wallets.farmer.address))),
    ...(await measured('the collector of the demonstration', () => evmAddress(showcase.wallet), CHEF_TRIPS)),
    ...(await measured(`a wallet with ${POSITIONS} positions of Uniswap v3`, () => many)),
  ]
}

try {
  await benchOverDatabase(bench)
} finally {
  await proxy.stop()
  await devnet.stop()
}
