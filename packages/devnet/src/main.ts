import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetConfig, serviceEnvironment } from './config.ts'
import { type Devnet, startDevnet } from './devnet.ts'

/** Half of the shortest heartbeat that feeds are expected to keep. */
const FEED_INTERVAL_MS = 30 * 60_000
const BLOCK_TIME_SECONDS = 12

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

const main = async (): Promise<void> => {
  const stopped = untilSignalled()
  const folder = mkdtempSync(join(tmpdir(), 'coffer-devnet-'))
  const config = join(folder, 'config.json')
  writeFileSync(config, `${JSON.stringify(devnetConfig(), null, 2)}\n`)
  try {
    const devnet = await startDevnet({ blockTimeSeconds: BLOCK_TIME_SECONDS })
    const refresh = setInterval(() => devnet.refreshFeeds().catch(console.error), FEED_INTERVAL_MS)
    console.log(describe(devnet, serviceEnvironment(devnet, config)))
    await stopped
    clearInterval(refresh)
    await devnet.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
