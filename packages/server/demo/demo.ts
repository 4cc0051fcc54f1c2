import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient } from '@coffer/client'
import type { Portfolio } from '@coffer/contract'
import { airdropTable } from './airdrop-table.ts'
import type { DemoValidators } from './demo-validators.ts'
import { type Demonstration, demonstrate, keepAlive, type Service, untilSignalled } from './demonstration.ts'
import { portfolioTable } from './portfolio-table.ts'
import { rewardLines, validatorLines } from './validator-table.ts'

const ASK_AGAIN_MS = 200
const LONGEST_SEARCH_MS = 20_000
/** The exit code that a shell reports for a program that a signal ended. */
const INTERRUPTED = 130

const say = (line: string) => console.log(line)

async function show({ service, networks: { devnet, showcase, solana, validators } }: Demonstration): Promise<void> {
  // The launcher (scripts/run.mjs) builds the portal from here on.
  process.send?.('listening')
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey })
  const { demo, farmer } = devnet.wallets
  const addresses = [demo.address, farmer.address, showcase.wallet, solana.wallet.address]
  say(`\nGET ${service.url}/v1/portfolio?addresses=${addresses}\n`)
  for (const portfolio of await wholePortfolios(client, addresses)) say(portfolioTable(portfolio))
  const query = { addresses: [solana.wallet.address] }
  say(`\nGET ${service.url}/v1/airdrop?addresses=${query.addresses}\n`)
  for (const airdrops of await client.getAirdrops({ query })) say(airdropTable(airdrops, solana.wallet.airdrops))
  const { pubkey } = validators
  say(`\nGET ${service.url}/v1/beacon/validators/details/pubkey/${pubkey}\n`)
  for (const line of validatorLines(await client.getValidatorDetailsByPubkey({ params: { pubkey } }))) say(line)
  await showRewards(service, client, validators)
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

/**
 * What logs lead to, and which programs a wallet on Solana has used, is searched behind a first read; what that finds is
 * read at once. The answer is whole when nothing is searched any more and the wallet on Solana was read again.
 */
async function wholePortfolios(client: Client, addresses: string[]): Promise<Portfolio[]> {
  const ask = () => client.getPortfolio({ query: { addresses } })
  const first = await ask()
  const until = Date.now() + LONGEST_SEARCH_MS
  const isWhole = ({ chains, incomplete, lastUpdated }: Portfolio, at: number) =>
    incomplete.every(({ reason }) => reason !== 'searching') &&
    (!chains['solana'] || lastUpdated !== first[at]?.lastUpdated)
  for (let portfolios = first; ; portfolios = await ask()) {
    if (portfolios.every(isWhole) || Date.now() > until) return portfolios
    await delay(ASK_AGAIN_MS)
  }
}

/** Saves and syncs the wallets, so that the portal shows them, and waits for Ctrl-C. */
async function stay({ service, networks }: Demonstration, stopped: Promise<void>): Promise<void> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey })
  const { devnet, showcase, solana } = networks
  const wallets = {
    Demo: devnet.wallets.demo.address,
    Farmer: devnet.wallets.farmer.address,
    Showcase: showcase.wallet,
    Solana: solana.wallet.address,
  }
  const entries = Object.entries(wallets).map(([label, address]) => ({ address, label }))
  await client.addToAddressBook({ body: { entries } })
  for (const address of Object.values(wallets)) await client.syncTransactions({ body: { addresses: [address] } })
  say('\nThe four wallets are saved, and their transactions are being synced. The demonstration runs until Ctrl-C.\n')
  say(`Portal, with the one-time link of its first user: ${service.setupLink}`)
  say(`API: ${service.url}   key: ${service.apiKey}`)
  say(`  curl -H 'Authorization: Bearer ${service.apiKey}' '${service.url}/v1/portfolio?addresses=${wallets.Demo}'`)
  await keepAlive(networks, stopped)
}

const isOnce = process.argv.includes('--once')
const stopped = untilSignalled()
let isRunning = false
// A signal before anything runs: the nodes end with this process.
void stopped.then(() => isRunning || process.exit(INTERRUPTED))
await demonstrate(say, async (demonstration) => {
  isRunning = true
  await show(demonstration)
  if (!isOnce) await stay(demonstration, stopped)
})
