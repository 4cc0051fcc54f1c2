import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type Devnet,
  openShowcase,
  type Showcase,
  serviceEnvironment,
  startDevnet,
  writeDemoConfig,
} from '@coffer/devnet'
import { type SolanaDemo, startSolanaDemo } from '@coffer/devnet/solana'
import { processEnv } from '../src/config/env.ts'
import { type DemoValidators, startDemoValidators } from './demo-validators.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/**
 * `setupLink`: the one-time link of the portal's first user. `env`: what it was started with, for operators' commands on its
 * database.
 */
export type Service = Announced & { env: Record<string, string | undefined>; stop(): Promise<void> }
type Announced = { url: string; setupLink: string; apiKey: string }

/** Local chains with real protocols, and a beacon chain on their Ethereum. */
export type Networks = { devnet: Devnet; showcase: Showcase; solana: SolanaDemo; validators: DemoValidators }

export type Demonstration = { networks: Networks; service: Service }

/** Has local chains with real protocols while `use` runs. Needs no network. */
export async function withNetworks(use: (networks: Networks) => Promise<void>): Promise<void> {
  const [devnet, solana] = await Promise.all([startDevnet(), startSolanaDemo()])
  try {
    const showcase = await openShowcase(devnet.chains.ethereum)
    const validators = await startDemoValidators(devnet.chains.ethereum)
    try {
      await devnet.refreshFeeds()
      await use({ devnet, showcase, solana, validators })
    } finally {
      await validators.stop()
    }
  } finally {
    await Promise.all([devnet.stop(), solana.stop()])
  }
}

/** As `withNetworks`, with the service over them. */
export async function demonstrate(
  say: (line: string) => void,
  use: (demonstration: Demonstration) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-demo-'))
  say('Starting four local chains with real protocol contracts (the first time takes a minute) …')
  try {
    await withNetworks(async (networks) => {
      say('Starting the service …')
      const service = await startService(networks, folder)
      try {
        await use({ networks, service })
      } finally {
        await service.stop()
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Settings of a service over these chains; its configuration file goes into the folder. */
export function settingsOver(networks: Networks, folder: string): Record<string, string> {
  return {
    ...serviceEnvironment(networks, writeDemoConfig(folder, networks.solana, networks.showcase)),
    COFFER_RPC_ETHEREUM: networks.validators.execution,
    COFFER_BEACON_URL: networks.validators.beacon,
  }
}

/** Half of the shortest heartbeat that feeds are expected to keep. */
const FEED_INTERVAL_MS = 30 * 60_000
/** A price of Pyth is believed for five minutes. */
const PRICE_INTERVAL_MS = 2 * 60_000
const BLOCK_TIME_SECONDS = 12

/** Makes blocks and renews prices until `stopped` resolves. */
export async function keepAlive({ devnet, solana }: Networks, stopped: Promise<void>): Promise<void> {
  const refreshes = [
    setInterval(() => devnet.refreshFeeds().catch(console.error), FEED_INTERVAL_MS),
    setInterval(() => solana.refreshPrices().catch(console.error), PRICE_INTERVAL_MS),
  ]
  try {
    for (const { client } of Object.values(devnet.chains))
      await client.setIntervalMining({ interval: BLOCK_TIME_SECONDS })
    await stopped
  } finally {
    for (const refresh of refreshes) clearInterval(refresh)
  }
}

export const untilSignalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

/** A service of its own on free ports, with a data folder that goes when the demo ends. */
async function startService(networks: Networks, folder: string): Promise<Service> {
  const env = {
    PATH: processEnv()['PATH'],
    ...settingsOver(networks, folder),
    COFFER_DATA_DIR: join(folder, 'data'),
    COFFER_PORT: '0',
    COFFER_ADMIN_PORT: '0',
    COFFER_LOG_LEVEL: 'error',
    // Webhooks may lead to this machine.
    COFFER_WEBHOOK_NETWORKS: '127.0.0.0/8',
  }
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'], env })
  return { ...(await announced(child)), env, stop: () => stopped(child) }
}

/** What the service prints when it is ready on a new database: its address, the portal's first link and its first key. */
async function announced(child: ChildProcess): Promise<Announced> {
  if (!child.stdout) throw new Error('the service has no output')
  let url: string | undefined
  let setupLink: string | undefined
  let apiKey: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /https?:\/\/[\w.:[\]-]+(?=\/|\s|$)/.exec(line)?.[0]
    setupLink ??= /https?:\S+\/link#\S+/.exec(line)?.[0]
    apiKey ??= /coffer_\w+/.exec(line)?.[0]
    if (url && setupLink && apiKey) {
      child.stdout.resume()
      return { url, setupLink, apiKey }
    }
  }
  throw new Error('the service ended before it was ready')
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    // Ctrl-C reaches every process of a terminal.
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
