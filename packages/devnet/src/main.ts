import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetConfig, serviceEnvironment } from './config.ts'
import { type Devnet, startDevnet } from './devnet.ts'

/** Half of the shortest heartbeat that feeds are expected to keep. */
const FEED_INTERVAL_MS = 30 * 60_000
const BLOCK_TIME_SECONDS = 12
/** What a shell reports for a program that a signal ended. */
const INTERRUPTED = 130

const describe = (devnet: Devnet, variables: Record<string, string>): string => {
  const chains = Object.values(devnet.chains).map(({ key, chainId, url }) => `  ${key} (${chainId})  ${url}`)
  const wallets = Object.entries(devnet.wallets).map(([name, { address }]) => `  ${name.padEnd(6)} ${address}`)
  const assignments = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`)
  return [
    ...['Local chains with real protocols are running. Stop them with Ctrl-C.', '', 'Chains', ...chains],
    ...['', 'Wallets', ...wallets, '', 'For the service', ...assignments],
  ].join('\n')
}

const untilSignalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

const serve = async (devnet: Devnet, stopped: Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-devnet-'))
  const config = join(folder, 'config.json')
  const refresh = setInterval(() => devnet.refreshFeeds().catch(console.error), FEED_INTERVAL_MS)
  try {
    writeFileSync(config, `${JSON.stringify(devnetConfig(), null, 2)}\n`)
    console.log(describe(devnet, serviceEnvironment(devnet, config)))
    await stopped
  } finally {
    clearInterval(refresh)
    rmSync(folder, { recursive: true, force: true })
    await devnet.stop()
  }
}

const main = async (): Promise<void> => {
  const stopped = untilSignalled()
  console.log('Starting local chains. The first start builds them: some ten seconds.')
  const started = startDevnet({ blockTimeSeconds: BLOCK_TIME_SECONDS })
  const devnet = await Promise.race([started, stopped.then(() => null)])
  if (devnet) await serve(devnet, stopped)
  // Told to stop before there was anything to stop: the nodes end with this process.
  else process.exit(INTERRUPTED)
}

await main()
