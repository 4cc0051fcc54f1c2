import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@coffer/client'
import type { Portfolio } from '@coffer/contract'
import { type Devnet, serviceEnvironment, startDevnet, writeDemoConfig } from '@coffer/devnet'
import { type SolanaDemo, startSolanaDemo } from '@coffer/devnet/solana'
import { processEnv } from '../src/config/env.ts'
import { airdropTable } from './airdrop-table.ts'
import { type DemoValidators, startDemoValidators } from './demo-validators.ts'
import { portfolioTable } from './portfolio-table.ts'
import { rewardLines, validatorLines } from './validator-table.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const ASK_AGAIN_MS = 200
const LONGEST_SEARCH_MS = 20_000

const say = (line: string) => console.log(line)

type Service = { url: string; apiKey: string; stop(): Promise<void> }

type Networks = { devnet: Devnet; solana: SolanaDemo; validators: DemoValidators }

/** Local chains with real protocols, the service over them, some requests, and their answers as tables. Needs no network. */
async function demo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-demo-'))
  try {
    say('Starting three local chains with real protocol contracts (the first time takes a minute) …')
    const [devnet, solana] = await Promise.all([startDevnet(), startSolanaDemo()])
    try {
      say('Playing a beacon chain on one of them …')
      const validators = await startDemoValidators(devnet.chains.ethereum)
      try {
        await devnet.refreshFeeds()
        await show({ devnet, solana, validators }, folder)
      } finally {
        await validators.stop()
      }
    } finally {
      await Promise.all([devnet.stop(), solana.stop()])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function show(networks: Networks, folder: string): Promise<void> {
  say('Starting the service …')
  const service = await startService(networks, folder)
  const { devnet, solana, validators } = networks
  try {
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey })
    const addresses = [devnet.wallets.demo.address, solana.wallet.address]
    say(`\nGET ${service.url}/v1/portfolio?addresses=${addresses}\n`)
    for (const portfolio of await wholePortfolios(client, addresses)) say(portfolioTable(portfolio))
    const query = { addresses: [solana.wallet.address] }
    say(`\nGET ${service.url}/v1/airdrop?addresses=${query.addresses}\n`)
    for (const airdrops of await client.getAirdrops({ query })) say(airdropTable(airdrops, solana.wallet.airdrops))
    const { pubkey } = validators
    say(`\nGET ${service.url}/v1/beacon/validators/details/pubkey/${pubkey}\n`)
    for (const line of validatorLines(await client.getValidatorDetailsByPubkey({ params: { pubkey } }))) say(line)
    await showRewards(service, client, validators)
  } finally {
    await service.stop()
  }
}

/** They are indexed from the first request on; the demonstration asks until they are. */
async function showRewards({ url }: Service, client: Client, { index, lastEpoch }: DemoValidators): Promise<void> {
  const query = { rangeType: 'epoch', rangeFrom: 0, rangeTo: lastEpoch, granularity: 'week' } as const
  const search = `rangeType=epoch&rangeFrom=0&rangeTo=${lastEpoch}&granularity=${query.granularity}`
  say(`\nGET ${url}/v1/beacon/validators/rewards/index/${index}?${search}\n`)
  const until = Date.now() + LONGEST_SEARCH_MS
  for (;;) {
    const { data } = await client.listValidatorRewardsByIndex({ params: { index }, query })
    if (data.length > 0 || Date.now() > until) {
      for (const line of data.flatMap(rewardLines)) say(line)
      return
    }
    await delay(ASK_AGAIN_MS)
  }
}

/** A service of its own on free ports, with a data folder that goes when the demo ends. */
async function startService(networks: Networks, folder: string): Promise<Service> {
  const config = writeDemoConfig(folder, networks.solana)
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: processEnv()['PATH'],
      ...serviceEnvironment(networks, config),
      COFFER_RPC_ETHEREUM: networks.validators.execution,
      COFFER_BEACON_URL: networks.validators.beacon,
      COFFER_DATA_DIR: join(folder, 'data'),
      COFFER_PORT: '0',
      COFFER_ADMIN_PORT: '0',
      COFFER_LOG_LEVEL: 'error',
    },
  })
  const { url, apiKey } = await announced(child)
  return { url, apiKey, stop: () => stopped(child) }
}

/**
 * Which programs a wallet on Solana has used is searched behind its first read, and what they hold is read at once: the
 * answer after that one is whole.
 */
async function wholePortfolios(client: Client, addresses: string[]): Promise<Portfolio[]> {
  const ask = () => client.getPortfolio({ query: { addresses } })
  const first = await ask()
  const isOld = (portfolio: Portfolio, at: number) => portfolio.lastUpdated === first[at]?.lastUpdated
  const until = Date.now() + LONGEST_SEARCH_MS
  for (let portfolios = first; ; portfolios = await ask()) {
    const solana = portfolios.findIndex(({ chains }) => chains['solana'])
    const portfolio = portfolios[solana]
    if (!portfolio || !isOld(portfolio, solana) || Date.now() > until) return portfolios
    await delay(ASK_AGAIN_MS)
  }
}

/** What the service prints when it is ready on a new database: its address and its first key. */
async function announced(child: ChildProcess): Promise<{ url: string; apiKey: string }> {
  if (!child.stdout) throw new Error('the service has no output')
  let url: string | undefined
  let apiKey: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /https?:\/\/[\w.:[\]-]+(?=\/|\s|$)/.exec(line)?.[0]
    apiKey ??= /coffer_\w+/.exec(line)?.[0]
    if (url && apiKey) {
      child.stdout.resume()
      return { url, apiKey }
    }
  }
  throw new Error('the service ended before it was ready')
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

await demo()
