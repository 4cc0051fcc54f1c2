import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceEnvironment, writeDemoConfig } from './config.ts'
import { type Devnet, startDevnet } from './devnet.ts'
import { type SolanaDemo, startSolanaDemo } from './solana/demo/solana-demo.ts'

/** Half of the shortest heartbeat that feeds are expected to keep. */
const FEED_INTERVAL_MS = 30 * 60_000
/** A price of Pyth is believed for five minutes. */
const PRICE_INTERVAL_MS = 2 * 60_000
const BLOCK_TIME_SECONDS = 12
/** What a shell reports for a program that a signal ended. */
const INTERRUPTED = 130

type Networks = { devnet: Devnet; solana: SolanaDemo }

const describe = ({ devnet, solana }: Networks, variables: Record<string, string>): string => {
  const chains = Object.values(devnet.chains).map(({ key, chainId, url }) => `  ${key} (${chainId})  ${url}`)
  chains.push(`  solana  ${solana.url}`)
  const wallets = Object.entries(devnet.wallets).map(([name, { address }]) => `  ${name.padEnd(6)} ${address}`)
  wallets.push(`  demo on Solana   ${solana.wallet.address}`, `  empty on Solana  ${solana.emptyWallet}`)
  const assignments = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`)
  const { address } = devnet.wallets.demo
  const ask = (path: string, more = '') =>
    `  curl -H "Authorization: Bearer $KEY" ${more}'http://127.0.0.1:8080${path}'`
  const requests = [
    ask(`/v1/portfolio?addresses=${address},${solana.wallet.address}`),
    ask('/v1/sync-transactions', `--json '{"addresses":["${address}"]}' `),
    ask(`/v1/status?addresses=${address}`),
    ask(`/v1/transactions?addresses=${address}`),
    ask(`/v1/approvals/ethereum?addresses=${address}`),
    ask(`/v1/airdrop?addresses=${solana.wallet.address}`),
  ]
  return [
    ...['Local chains with real protocols are running. Stop them with Ctrl-C.', '', 'Chains', ...chains],
    ...['', 'Wallets', ...wallets, '', 'For the service', ...assignments, '', 'npm start'],
    ...['', 'Then, with the key that it prints', 'KEY=coffer_…', ...requests],
  ].join('\n')
}

const untilSignalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

const serve = async ({ devnet, solana }: Networks, stopped: Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-devnet-'))
  const refreshes = [
    setInterval(() => devnet.refreshFeeds().catch(console.error), FEED_INTERVAL_MS),
    setInterval(() => solana.refreshPrices().catch(console.error), PRICE_INTERVAL_MS),
  ]
  try {
    const config = writeDemoConfig(folder, solana)
    console.log(describe({ devnet, solana }, serviceEnvironment({ devnet, solana }, config)))
    await stopped
  } finally {
    for (const refresh of refreshes) clearInterval(refresh)
    rmSync(folder, { recursive: true, force: true })
    await Promise.all([devnet.stop(), solana.stop()])
  }
}

const start = async (): Promise<Networks> => {
  const [devnet, solana] = await Promise.all([startDevnet({ blockTimeSeconds: BLOCK_TIME_SECONDS }), startSolanaDemo()])
  return { devnet, solana }
}

const main = async (): Promise<void> => {
  const stopped = untilSignalled()
  console.log('Starting local chains. The first start builds them: some ten seconds.')
  const networks = await Promise.race([start(), stopped.then(() => null)])
  if (networks) await serve(networks, stopped)
  // Told to stop before there was anything to stop: the nodes end with this process.
  else process.exit(INTERRUPTED)
}

await main()
