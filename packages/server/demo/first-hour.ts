// Plays a newcomer's first hour with the real programs over local chains, and prints it as a page (docs/first-hour.md).
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { devnetConfig, serviceEnvironment, startDevnet } from '@coffer/devnet'
import { processEnv } from '../src/config/env.ts'
import { actOn, WALLET } from './example-wallet.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const admin = fileURLToPath(new URL('../bin/coffer-admin.mjs', import.meta.url))

const ASK_AGAIN_MS = 250
const TRIES = 400
/** Nobody listens there. */
const DEAD_NODE = 'http://127.0.0.1:9'

/** What differs from run to run, and what the page shows instead. */
const shown = new Map<string | RegExp, string>([
  [/coffer_[A-Za-z0-9_]{8,}/g, 'coffer_…'],
  [/\/link#\S+/g, '/link#…'],
])

function say(text: string): void {
  const page = [...shown].reduce((line, [found, instead]) => line.replaceAll(found, instead), text)
  process.stdout.write(`${page}\n`)
}

function block(command: string, output: string): void {
  say(`\n\`\`\`\n$ ${command}\n${output.trimEnd()}\n\`\`\`\n`)
}

type Env = Readonly<Record<string, string | undefined>>

/** A service until it says `until` or ends. */
async function start(env: Env, until: RegExp): Promise<{ child: ChildProcess; printed: string }> {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  const ended = once(child, 'close').then(() => true)
  const take = (text: Buffer) => {
    printed += text.toString()
  }
  child.stdout.on('data', take)
  // Lines of the log are for machines.
  child.stderr.on('data', (text: Buffer) => take(Buffer.from(text.toString().replace(/^\{.*\n/gm, ''))))
  while (!until.test(printed)) {
    const over = await Promise.race([ended, once(child.stdout, 'data').then(() => false)])
    if (over) break
  }
  return { child, printed }
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

/** What an operator's command prints, and says where it fails. */
function operate(env: Env, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [admin, ...args], { env }, (error, stdout, stderr) => {
      resolve(`${stdout}${stderr}${error ? `(exit code ${error.code})\n` : ''}`)
    })
  })
}

/** The fields that a reader of the page looks at, as `jq` shows them. */
function fields(answer: unknown, names: readonly string[]): string {
  const [first] = Array.isArray(answer) ? answer : [answer]
  const picked = names.map((name) => [name, (first as Record<string, unknown>)[name]])
  return JSON.stringify(Object.fromEntries(picked), null, 2)
}

async function listening(): Promise<{ port: number; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  return { port: address.port, server }
}

async function firstHour(folder: string): Promise<void> {
  const devnet = await startDevnet()
  await actOn(devnet)
  const taken = await listening()
  const [free, adminFree] = [await listening(), await listening()]
  for (const { server } of [free, adminFree]) server.close()
  const configFile = join(folder, 'config.json')
  writeFileSync(configFile, JSON.stringify(devnetConfig()))
  const { COFFER_RPC_SOLANA: _, ...overChains } = serviceEnvironment({ devnet, solana: { url: '' } }, configFile)
  const env = {
    PATH: processEnv()['PATH'],
    ...overChains,
    COFFER_CHAINS: 'ethereum,base',
    COFFER_LOCAL_CHAINS: 'ethereum,base',
    COFFER_RPC_BASE: DEAD_NODE,
    COFFER_DATA_DIR: join(folder, 'data'),
    COFFER_PORT: String(taken.port),
    COFFER_ADMIN_PORT: String(adminFree.port),
  }
  for (const [port, instead] of [
    [taken.port, 8080],
    [free.port, 8090],
    [adminFree.port, 8081],
  ]) {
    shown.set(new RegExp(`(?<=[:= ])${port}\\b`, 'g'), `${instead}`)
  }
  shown.set(new URL(devnet.chains.ethereum.url).host, 'node.example:8545')
  shown.set(new URL(devnet.chains.base.url).host, 'node.example:8546')
  shown.set(folder, '.')
  try {
    await play(env, { port: free.port, base: devnet.chains.base.url, wallet: WALLET })
  } finally {
    taken.server.close()
    await devnet.stop()
  }
}

async function play(env: Env, { port, base, wallet }: { port: number; base: string; wallet: string }): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  say('# The first hour')
  say(
    '\nThe commands of a new user and their output, from the first start to cost and PnL. `npm run first-hour -w packages/server` runs them',
  )
  say('over local chains and prints this page; `jq` selects the fields that are shown.')

  say('\n## Start')
  say('\nIf another program uses the port, the start ends with one sentence. Nothing is lost: no account exists yet.')
  const refused = await start(env, /(?!)/)
  block('npm start', refused.printed)
  say('Choose another port. The first successful start creates the account `owner` and shows its key, once.')
  const first = await start({ ...env, COFFER_PORT: `${port}` }, /\/v1\/portfolio\?/)
  block(`COFFER_PORT=${port} npm start`, first.printed)

  say('## What does not work')
  say('\n`doctor` tests each endpoint on its own, and everything else that the service depends on.')
  block('npx coffer-admin doctor', await operate(env, ['doctor']))
  say('The URL of Base’s node is wrong. A service that runs with it answers what it can, and lists what is missing.')
  const ownerKey = /shown this once: (coffer_\S+)/.exec(first.printed)?.[1] ?? ''
  const ask = async (key: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
    return (await response.json()) as never
  }
  const curl = (path: string) => `curl -sH "Authorization: Bearer $KEY" '${url}${path}'`
  const portfolio = `/v1/portfolio?addresses=${wallet}`
  const awaited = `${portfolio}&waitForSync=true`
  const partly = await ask(ownerKey, portfolio)
  block(`${curl(portfolio)} | jq '.[0] | {networth, incomplete}'`, fields(partly, ['networth', 'incomplete']))
  await stop(first.child)
  const mended = { ...env, COFFER_RPC_BASE: base, COFFER_PORT: `${port}` }
  const { child } = await start(mended, /Coffer is ready/)
  try {
    say('With the correct URL, after a restart:')
    block('npx coffer-admin doctor', await operate(mended, ['doctor']))
    say('## An account and a wallet')
    say('\nAccounts separate credits, limits and saved data. `create` lists the calls that the account may make.')
    const account = await operate(mended, ['account', 'create', '--name', 'acme', '--plan', 'PRO', '--credits', '1000'])
    block('npx coffer-admin account create --name acme --plan PRO --credits 1000', account)
    const created = await operate(mended, ['key', 'create', '--account', '2', '--name', 'laptop'])
    block('npx coffer-admin key create --account 2 --name laptop', created)
    const key = /coffer_\w+/.exec(created)?.[0] ?? ''
    const before = ['networth', 'openPnl', 'pnlIncomplete', 'asOf', 'incomplete']
    block(`${curl(awaited)} | jq '.[0] | {${before.join(', ')}}'`, fields(await ask(key, awaited), before))
    say(
      '`asOf` has the block of every figure. PnL is not known yet, and `pnlIncomplete` gives the reason: no sync was requested.',
    )

    say('\n## A sync, watched to its end')
    const sync = await ask(key, '/v1/sync-transactions', { addresses: [wallet] })
    block(`${curl('/v1/sync-transactions')} --json '{"addresses":["${wallet}"]}'`, JSON.stringify(sync))
    const status = `/v1/status?addresses=${wallet}`
    const states: string[] = []
    for (let tries = 0; tries < TRIES; tries++) {
      const [now]: [{ syncInProgress: boolean }] = await ask(key, status)
      states.push(fields(now, ['syncInProgress', 'sync']))
      if (!now.syncInProgress) break
      await delay(ASK_AGAIN_MS)
    }
    block(`${curl(status)} | jq '.[0] | {syncInProgress, sync}'`, states.at(-1) ?? '')
    block('npx coffer-admin sync status', await operate(mended, ['sync', 'status']))

    say('## Cost and PnL')
    const after = ['networth', 'totalCostBasis', 'openPnl', 'closedPnl', 'fees', 'pnlIncomplete']
    const whole = await ask(key, awaited)
    block(`${curl(awaited)} | jq '.[0] | {${after.join(', ')}}'`, fields(whole, after))
    say(
      '[accounting.md](accounting.md) has the rules and explains each reason of `pnlIncomplete`. The transactions of the wallet:',
    )
    const { transactions } = (await ask(key, `/v1/transactions?addresses=${wallet}&limit=3`)) as {
      transactions: Listed[]
    }
    const lines = transactions.map(
      ({ type, protocol, timestamp, hash }) => `${timestamp}  ${type}  ${protocol.name}  ${hash}`,
    )
    block(
      `${curl(`/v1/transactions?addresses=${wallet}&limit=3`)} | jq -r '.transactions[] | "\\(.timestamp)  \\(.type)  \\(.protocol.name)  \\(.hash)"'`,
      lines.join('\n'),
    )
  } finally {
    await stop(child)
  }
}

type Listed = { type: string; protocol: { name: string }; timestamp: string; hash: string }

const folder = mkdtempSync(join(tmpdir(), 'coffer-first-hour-'))
try {
  await firstHour(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
