import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepAlive, type Networks, settingsOver, untilSignalled, withNetworks } from './demonstration.ts'

/** What a shell reports for a program that a signal ended. */
const INTERRUPTED = 130

const describe = ({ devnet, solana, validators }: Networks, variables: Record<string, string>): string => {
  const chains = Object.values(devnet.chains).map(({ key, chainId, url }) => `  ${key} (${chainId})  ${url}`)
  chains.push(`  solana  ${solana.url}`)
  chains.push(
    `  beacon chain of ethereum, which stands still after epoch ${validators.lastEpoch}  ${validators.beacon}`,
  )
  const wallets = Object.entries(devnet.wallets).map(([name, { address }]) => `  ${name.padEnd(6)} ${address}`)
  wallets.push(`  demo on Solana   ${solana.wallet.address}`, `  empty on Solana  ${solana.emptyWallet}`)
  const assignments = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`)
  const { address } = devnet.wallets.demo
  const ask = (path: string, more = '') =>
    `  curl -H "Authorization: Bearer $KEY" ${more}'http://127.0.0.1:8080${path}'`
  const rewards = `rangeType=epoch&rangeFrom=0&rangeTo=${validators.lastEpoch}&granularity=week`
  const requests = [
    ask(`/v1/portfolio?addresses=${address},${solana.wallet.address}`),
    ask('/v1/sync-transactions', `--json '{"addresses":["${address}"]}' `),
    ask(`/v1/status?addresses=${address}`),
    ask(`/v1/transactions?addresses=${address}`),
    ask(`/v1/approvals/ethereum?addresses=${address}`),
    ask(`/v1/airdrop?addresses=${solana.wallet.address}`),
    ask(`/v1/beacon/validators/details/index/${validators.index}`),
    ask(`/v1/beacon/validators/rewards/index/${validators.index}?${rewards}`),
  ]
  return [
    ...['Local chains with real protocols are running. Stop them with Ctrl-C.', '', 'Chains', ...chains],
    ...['', 'Wallets', ...wallets, '', 'For the service', ...assignments, '', 'npm start'],
    ...['', 'Then, with the key that it prints', 'KEY=coffer_…', ...requests],
  ].join('\n')
}

const serve = async (networks: Networks, stopped: Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-devnet-'))
  try {
    console.log(describe(networks, settingsOver(networks, folder)))
    await keepAlive(networks, stopped)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const main = async (): Promise<void> => {
  const stopped = untilSignalled()
  let isServing = false
  console.log('Starting local chains. The first start builds them: some ten seconds.')
  // Asked to stop before there was anything to stop: the nodes end with this process.
  void stopped.then(() => isServing || process.exit(INTERRUPTED))
  await withNetworks((networks) => {
    isServing = true
    return serve(networks, stopped)
  })
}

await main()
