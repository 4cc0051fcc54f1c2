import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@coffer/client'
import { devnetConfig, serviceEnvironment, startDevnet } from '@coffer/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, inject, test } from 'vitest'
import { processEnv } from '../../src/config/env.ts'
import { createUser } from '../../src/features/portal-users/users.ts'
import { testDatabase } from '../database.ts'
import { started } from '../started.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { CHILD_ENV, readyAt, startProcess } from './service-process.ts'

const root = join(import.meta.dirname, '../../../..')

/** In the order in which a user needs them. */
const PAGES = ['quickstart', 'sync', 'admin', 'cli', 'exports', 'webhooks', 'troubleshooting'].map(
  (name) => `docs/${name}.md`,
)

/** A command begins so. Others install or administer the machine: installers and `clean-clone` run them. */
const TYPED = /^(curl|coffer|npx coffer|npx coffer-admin) /

const NOT_TYPED: readonly { begins: string; because: string }[] = [
  { begins: 'coffer watch', because: 'it runs until it is interrupted' },
  { begins: 'curl -N', because: 'it runs until it is interrupted' },
  { begins: 'npx coffer-admin virtual-user link', because: 'it asks the exchange' },
  { begins: 'npx coffer-admin chain forget', because: 'it needs a configured chain that was started again' },
]

/** Output as the page describes it. A command without a row must succeed, and `curl` must not get a refusal. */
const PRINTED: readonly { begins: string; prints: RegExp }[] = [
  { begins: 'curl -sH "Authorization: Bearer $KEY" http://127.0.0.1:8080/v1/credits', prints: /^\d+$/ },
  { begins: 'curl -sH "Authorization: Bearer $KEY" \'http://127.0.0.1:8080/v1/portfolio', prints: /"networth":"\d+\./ },
  { begins: 'curl -sH "Authorization: Bearer $KEY" \'http://127.0.0.1:8080/v1/status', prints: /"syncInProgress":/ },
  { begins: 'npx coffer-admin account create', prints: /"mayCall": \[/ },
  { begins: 'npx coffer-admin key create', prints: /"key": "coffer_/ },
  { begins: 'npx coffer-admin credits verify', prints: /"violations": \[\]/ },
  { begins: 'npx coffer-admin address challenge', prints: /./ },
  { begins: 'npx coffer-admin price why', prints: /"source"/ },
  { begins: 'npx coffer-admin portal link', prints: /\/link#/ },
  { begins: 'npx coffer-admin webhook create', prints: /"secret": "whsec_/ },
  { begins: 'npx coffer portfolio', prints: /Aave V3/ },
  { begins: 'coffer webhook add', prints: /whsec_/ },
  { begins: 'coffer webhook test', prints: /./ },
]

type Command = { page: string; text: string }
/** Printed by earlier commands. */
type Last = { id: string; challenge: string }

/** Of the fenced blocks, with continued lines joined and comments removed. */
function commandsOf(page: string): Command[] {
  const blocks = readFileSync(join(root, page), 'utf8').split(/^```.*$/m)
  const fenced = blocks.filter((_, i) => i % 2 === 1)
  const lines = fenced.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  return lines.map((line) => ({ page, text: line.replace(/\s+# .*$/, '') })).filter(({ text }) => TYPED.test(text))
}

const folder = mkdtempSync(join(tmpdir(), 'coffer-documented-'))
let key = ''

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const database = await testDatabase('documented')
const receiver = await started(startReceiver((_, response) => response.end()))
const configFile = join(folder, 'config.json')
writeFileSync(configFile, JSON.stringify(devnetConfig()))
const { COFFER_RPC_SOLANA: _, ...overChains } = serviceEnvironment({ devnet, solana: { url: '' } }, configFile)
const env = {
  ...overChains,
  DATABASE_URL: database.url,
  COFFER_CHAINS: 'ethereum,base',
  COFFER_LOCAL_CHAINS: 'ethereum,base',
  COFFER_DATA_DIR: join(folder, 'data'),
  COFFER_WEBHOOK_NETWORKS: '127.0.0.0/8',
}
const service = startProcess(env)
const { url } = await readyAt(service)
;[, key = ''] = await service.printed(/shown this once: (coffer_\S+)/)
await createUser(database.db, { name: 'ada', isOperator: false })
const { address } = devnet.wallets.demo
await save(key)
const client = createClient({ baseUrl: url, apiKey: key })
await client.createBundle({ body: { name: 'savings', addresses: [address] } })
await client.subscribeSnapshot({ body: { addresses: [{ address }] } })
const shell = { ...CHILD_ENV, ...env, HOME: folder, KEY: key, PATH: `${programs()}:${processEnv()['PATH']}` }

afterAll(async () => {
  await service.end('SIGTERM')
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** `npx coffer` and `npx coffer-admin` without a registry, and a `curl` that fails with a refusal. */
function programs(): string {
  const programs = {
    npx: 'name=$1; shift; exec "$NODE" "$BIN/$name.mjs" "$@"',
    coffer: 'exec "$NODE" "$BIN/coffer.mjs" "$@"',
    curl: 'exec /usr/bin/curl --fail-with-body --no-progress-meter "$@"',
  }
  for (const [name, run] of Object.entries(programs)) {
    const variables = `NODE='${process.execPath}'\nBIN='${join(root, 'packages/server/bin')}'`
    writeFileSync(join(folder, name), `#!/bin/sh\n${variables}\n${run}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

async function typed(text: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', text], {
    cwd: folder,
    env: shell,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(`${key}\n`)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part))
  const [code] = await once(child, 'close')
  return { code: code as number | null, output }
}

/** The values for which the pages have placeholders. */
async function filled(text: string, last: Last): Promise<string> {
  const { address, privateKey } = devnet.wallets.demo
  const { usdc } = devnet.chains.ethereum.addresses.tokens
  const signature = () => privateKeyToAccount(privateKey).signMessage({ message: last.challenge })
  const webhook = async () => (await createClient({ baseUrl: url, apiKey: key }).listWebhooks()).data.at(-1)?.id ?? ''
  return text
    .replace('--signature 0x…', text.includes('--signature') ? `--signature ${await signature()}` : '')
    .replaceAll(/(--token|--contract) 0x…/g, `$1 ${usdc}`)
    .replaceAll('0x…', address)
    .replaceAll('coffer_…', key)
    .replaceAll(/http:\/\/127\.0\.0\.1:8080/g, url)
    .replaceAll(/https:\/\/(…|hooks\.example\.com\/coffer)/g, receiver.url)
    .replace(/(coffer webhook \w+) ID/, `$1 ${text.startsWith('coffer webhook') ? await webhook() : ''}`)
    .replace(/ ID\b/, ` ${last.id}`)
    .replace(/\bNAME\b/, 'ada')
    .replace(/date=[\d-]+/, `date=${new Date().toISOString().slice(0, 10)}`)
}

/** An account needs the wallet in its address book before a command can change its plan. */
async function save(apiKey: string): Promise<void> {
  const { address } = devnet.wallets.demo
  await createClient({ baseUrl: url, apiKey }).addToAddressBook({ body: { entries: [{ address }] } })
}

/** Null if the command did what its page says. */
async function failureOf({ page, text }: Command, last: Last): Promise<object | null> {
  const { code, output } = await typed(await filled(text, last))
  last.id = /"id": "([^"]+)"/.exec(output)?.[1] ?? last.id
  if (text.includes('challenge')) last.challenge = output
  if (text.includes('key create')) await save(/coffer_\w+/.exec(output)?.[0] ?? '')
  const { prints } = PRINTED.find(({ begins }) => text.startsWith(begins)) ?? { prints: /(?:)/ }
  return code === 0 && prints.test(output) ? null : { page, text, code, output: output.slice(0, 1_000) }
}

test('every command of the guides does what its page says', async () => {
  const all = PAGES.flatMap(commandsOf)
  const isLeftOut = ({ text }: Command) => NOT_TYPED.some(({ begins }) => text.startsWith(begins))
  const last = { id: '', challenge: '' }
  const failures: object[] = []
  for (const command of all.filter((each) => !isLeftOut(each))) {
    const failure = await failureOf(command, last)
    if (failure) failures.push(failure)
  }
  expect(failures).toEqual([])
  for (const { begins } of [...NOT_TYPED, ...PRINTED]) {
    expect(
      all.some(({ text }) => text.startsWith(begins)),
      begins,
    ).toBe(true)
  }
})
