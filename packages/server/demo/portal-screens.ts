// node demo/portal-screens.ts <folder>: a picture of each screen of the portal, light and dark, over the demonstration.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { createClient } from '@coffer/client'
import { chromium } from 'playwright-core'
import { processEnv } from '../src/config/env.ts'
import { ensurePortal } from '../test/browser/built-portal.ts'
import { findChromium } from '../test/browser/chromium.ts'
import { enterByLink } from '../test/browser/enter-by-link.ts'
import { startReceiver } from '../test/webhook-receiver.ts'
import { type Demonstration, demonstrate } from './demonstration.ts'

const VIEWPORT = { width: 1280, height: 860 }
const QUALITY = 80
const PASSWORD = 'for these pictures alone'
/** By the name of their files: paths below the account, and those of a user. */
const SCREENS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['overview', 'portfolio', 'transactions', 'pnl', 'snapshots', 'approvals', 'airdrops', 'validators'],
      ...['address-book', 'virtual-users', 'keys', 'webhooks', 'usage', 'members', 'audit'],
    ].map((name) => [name, `/a/1/${name}`]),
  ),
  security: '/me',
  operator: '/operator',
}
const LABELS = ['Treasury', 'Farmer', 'Protocols', 'Solana']

const folder = resolve(process.argv[2] ?? 'docs/portal')
const say = (line: string) => console.log(line)

async function photograph({ service, networks: { devnet, showcase, solana } }: Demonstration): Promise<void> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey })
  const { demo, farmer } = devnet.wallets
  const addresses = [demo.address, farmer.address, showcase.wallet, solana.wallet.address]
  const entries = addresses.map((address, index) => ({ address, label: LABELS[index] ?? '' }))
  await client.addToAddressBook({ body: { entries } })
  // The receiver refuses events of the first wallet, so that the screen has failures to show.
  const receiver = await startReceiver(({ body }, response) => {
    response.writeHead(body.toLowerCase().includes(demo.address.toLowerCase()) ? 503 : 200).end()
  })
  await client.createWebhook({ body: { url: `${receiver.url}/coffer`, kinds: ['sync.ended', 'snapshot.taken'] } })
  await client.getPortfolio({ query: { addresses } })
  for (const address of addresses) await client.syncTransactions({ body: { addresses: [address] } })
  const { executable, env } = findChromium()
  const browser = await chromium.launch({ executablePath: executable, env: { ...processEnv(), ...env } })
  try {
    const context = await browser.newContext({ viewport: VIEWPORT, baseURL: new URL(service.setupLink).origin })
    const page = await context.newPage()
    await enterByLink(page, service.setupLink, 'Ann', PASSWORD)
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      for (const [name, path] of Object.entries(SCREENS)) {
        await page.goto(path, { waitUntil: 'networkidle' })
        for (const part of await page.getByRole('status', { name: 'Loading' }).all())
          await part.waitFor({ state: 'detached' })
        await page.screenshot({ path: `${folder}/${name}-${theme}.jpg`, type: 'jpeg', quality: QUALITY })
        say(`${name}-${theme}.jpg`)
      }
    }
  } finally {
    await browser.close()
    await receiver.stop()
  }
}

mkdirSync(folder, { recursive: true })
await ensurePortal()
await demonstrate(say, photograph)
