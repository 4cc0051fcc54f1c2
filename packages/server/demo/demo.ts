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
import { portfolioTable } from './portfolio-table.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const ASK_AGAIN_MS = 200
const LONGEST_SEARCH_MS = 20_000

type Service = { url: string; apiKey: string; stop(): Promise<void> }

/** Local chains with real protocols, the service over them, two requests, and their answers as tables. Needs no network. */
async function demo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-demo-'))
  const say = (line: string) => console.log(line)
  try {
    say('Starting three local chains with real protocol contracts (the first time takes a minute) …')
    const [devnet, solana] = await Promise.all([startDevnet(), startSolanaDemo()])
    try {
      say('Starting the service …')
      const service = await startService({ devnet, solana }, folder)
      try {
        const client = createClient({ baseUrl: service.url, apiKey: service.apiKey })
        const addresses = [devnet.wallets.demo.address, solana.wallet.address]
        say(`\nGET ${service.url}/v1/portfolio?addresses=${addresses}\n`)
        for (const portfolio of await wholePortfolios(client, addresses)) say(portfolioTable(portfolio))
        const query = { addresses: [solana.wallet.address] }
        say(`\nGET ${service.url}/v1/airdrop?addresses=${query.addresses}\n`)
        for (const airdrops of await client.getAirdrops({ query })) say(airdropTable(airdrops, solana.wallet.airdrops))
      } finally {
        await service.stop()
      }
    } finally {
      await Promise.all([devnet.stop(), solana.stop()])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A service of its own on free ports, with a data folder that goes when the demo ends. */
async function startService(networks: { devnet: Devnet; solana: SolanaDemo }, folder: string): Promise<Service> {
  const config = writeDemoConfig(folder, networks.solana)
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: processEnv()['PATH'],
      ...serviceEnvironment(networks, config),
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
