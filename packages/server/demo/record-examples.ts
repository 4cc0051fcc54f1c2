// Records the examples of the reference: what the service answers over the demonstration's chains.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Endpoint, endpoints as table } from '@coffer/contract'
import type { Example } from '../src/http/openapi.ts'
import { demonstrate } from './demonstration.ts'
import { actOn, SECOND, WALLET } from './example-wallet.ts'

type Name = keyof typeof table
type Request = Omit<Example, 'answer'>

const endpoints: Readonly<Record<Name, Endpoint>> = table
const admin = fileURLToPath(new URL('../src/bin/coffer-admin.ts', import.meta.url))
const file = new URL('../src/http/api-examples.json', import.meta.url)

/** Where a reader's own service is. */
const PUBLIC_URL = 'http://127.0.0.1:8080'
const ASK_AGAIN_MS = 500
const TRIES = 120
const HOUR_MS = 3_600_000
const HOUR_WAIT_MS = 300_000

await demonstrate(console.log, async ({ networks, service }) => {
  await actOn(networks.devnet)
  const examples: Partial<Record<Name, Example>> = {}

  const ask = async (name: Name, { params = {}, query = {}, body }: Request) => {
    const { method, path } = endpoints[name]
    const filled = path.replace(/:(\w+)/g, (_, key) => encodeURIComponent(String(params[key])))
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const response = await fetch(`${service.url}${filled}?${search}`, {
      method,
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = (await response.text()).replaceAll(service.url, PUBLIC_URL)
    if (response.status !== endpoints[name].status) throw new Error(`${name} is ${response.status}: ${text}`)
    if (text === '') return undefined
    return endpoints[name].streams ? text : (JSON.parse(text) as unknown)
  }
  const record = async (name: Name, request: Request = {}, isWhole: (answer: never) => boolean = () => true) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await ask(name, request)
      examples[name] = { ...request, ...(answer !== undefined && { answer }) }
      if (isWhole(answer as never)) return answer as never
      await delay(ASK_AGAIN_MS)
    }
    throw new Error(`${name} does not become whole`)
  }
  const operate = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, [admin, ...args], { env: service.env, encoding: 'utf8' })) as never

  await record('subscribeSnapshot', { body: { addresses: [{ address: WALLET, description: 'Treasury' }] } })
  const images = { includeImages: true, includeExplorerUrls: true }
  await record('syncTransactions', { body: { addresses: [WALLET] } })
  await record('getStatus', { query: { addresses: WALLET } }, ([status]: [{ syncInProgress: boolean }]) => {
    return !status.syncInProgress
  })
  await record('getPortfolio', { query: { addresses: WALLET, waitForSync: true, ...images } })
  const block = Number(await networks.devnet.chains.ethereum.client.getBlockNumber())
  const atBlock = { addresses: WALLET, chain: 'ethereum', block }
  await record('getPortfolioAtBlock', { query: atBlock }, ([{ incomplete }]: [{ incomplete: unknown[] }]) => {
    return incomplete.length === 0
  })
  // A recording that begins shortly before a full hour has the holdings at that hour.
  const untilHour = HOUR_MS - (Date.now() % HOUR_MS)
  if (untilHour < HOUR_WAIT_MS) await delay(untilHour)
  const hour = (back: number) => new Date(Date.now() - back * HOUR_MS).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)
  const hours = { from: `${hour(1)}:00:00Z`, to: `${hour(0)}:00:00Z`, interval: 'HOUR', waitForSync: true }
  await record('getPortfolioSeries', { query: { addresses: WALLET, ...hours } })
  await record('getWallet', { query: { addresses: WALLET, ...images } })
  await record('getNav', { query: { addresses: WALLET, currency: 'ETH' } })
  await record('listTransactions', { query: { addresses: WALLET, limit: 2, includeImages: true } })
  await record('exportTransactions', { query: { addresses: WALLET } })
  const year = new Date().getUTCFullYear()
  const span = { from: `${year}-01-01`, to: `${year + 1}-01-01` }
  await record('exportGains', { query: { addresses: WALLET, ...span } })
  await record('listApprovals', { params: { chain: 'ethereum' }, query: { addresses: WALLET, limit: 5 } })
  await record('getAirdrops', { query: { addresses: networks.solana.wallet.address } })

  const day = new Date().toISOString().slice(0, 10)
  await untilAnswered(() => record('getHistorical', { query: { addresses: WALLET, date: day } }))
  await record('getTokenOverview', { query: { addresses: WALLET, date: day } })
  await record('exportHoldings', { query: { addresses: WALLET, date: day } })

  const { id } = operate('virtual-user', 'create', '--account', '1', '--type', 'BALANCE', '--label', 'Cash') as {
    id: string
  }
  operate('virtual-user', 'set-balance', id, '--symbol', 'USD', '--price-source', 'fx', '--amount', '1000')
  await record('listVirtualUsers')
  await record('getVirtualUserPortfolio', { query: { addresses: `virtual:${id}` } })

  const { index, pubkey, lastEpoch } = networks.validators
  const range = { rangeType: 'epoch', rangeFrom: 0, rangeTo: lastEpoch, granularity: 'epoch', limit: 2 }
  const isIndexed = ({ data }: { data: unknown[] }) => data.length > 0
  await record('getValidatorDetailsByIndex', { params: { index } })
  await record('getValidatorDetailsByPubkey', { params: { pubkey } })
  await record('listValidatorRewardsByIndex', { params: { index }, query: range }, isIndexed)
  await record('listValidatorRewardsByPubkey', { params: { pubkey }, query: range })
  for (const list of ['Withdrawals', 'Deposits'] as const) {
    await record(`listValidator${list}ByIndex`, { params: { index }, query: { limit: 2 } })
    await record(`listValidator${list}ByPubkey`, { params: { pubkey }, query: { limit: 2 } })
  }

  const entries = [
    { address: WALLET, label: 'Treasury' },
    { address: SECOND, label: 'Savings' },
  ]
  await record('addToAddressBook', { body: { entries } })
  await record('relabelAddress', { params: { address: SECOND }, body: { label: 'Cold wallet' } })
  await record('listAddressBook')
  const created: { data: { id: string } } = await record('createBundle', {
    body: { name: 'Company', addresses: [WALLET] },
  })
  const bundleId = created.data.id
  await record('addBundleAddress', { params: { bundleId }, body: { address: SECOND } })
  await record('getBundle', { params: { bundleId } })
  await record('listBundles')
  await record('renameBundle', { params: { bundleId }, body: { name: 'Treasury' } })
  await record('removeBundleAddress', { params: { bundleId, address: SECOND } })
  await record('removeBundle', { params: { bundleId } })
  await record('removeFromAddressBook', { params: { address: SECOND } })
  const { data: webhook }: { data: { id: string } } = await record('createWebhook', {
    body: { url: 'https://hooks.example.com/coffer', kinds: ['transaction.found', 'sync.ended'] },
  })
  const params = { webhookId: webhook.id }
  await record('listWebhooks')
  await record('updateWebhook', { params, body: { kinds: ['sync.ended'] } })
  await record('rotateWebhookSecret', { params, body: { graceHours: 24 } })
  await record('testWebhook', { params })
  const { data: deliveries }: { data: { id: string }[] } = await record(
    'listWebhookDeliveries',
    { params },
    ({ data }: { data: unknown[] }) => data.length > 0,
  )
  await record('replayWebhook', { params, body: { deliveryId: deliveries[0]?.id } })
  await record('removeWebhook', { params })
  const { data: watch }: { data: { id: string } } = await record('createWatch', {
    body: { type: 'netWorth', address: WALLET, direction: 'below', threshold: '1000' },
  })
  await record('listWatches')
  await record('removeWatch', { params: { watchId: watch.id } })
  await record('listChains')
  await record('listProtocols', { params: { chainKey: 'ethereum' }, query: { limit: 2 } })
  await record('getCredits')
  const sorted = Object.keys(endpoints).map((name) => [name, examples[name as Name]])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
})

/** A first snapshot is taken behind the subscription. */
async function untilAnswered(record: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await record()
      return
    } catch (error) {
      if (tries === TRIES) throw error
      await delay(ASK_AGAIN_MS)
    }
  }
}
