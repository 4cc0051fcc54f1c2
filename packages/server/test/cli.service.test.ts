import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Portfolio, Transaction } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { Webhook } from 'standardwebhooks'
import { erc20Abi, maxUint256, parseEther, parseUnits } from 'viem'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { endSync } from '../src/features/history/sync/sync-store.ts'
import { runCli } from './cli-host.ts'
import { startService } from './harness.ts'
import { seededRandom } from './random.ts'
import { readCsv } from './read-csv.ts'
import { started } from './started.ts'
import { syncTransactions } from './sync.ts'
import { startReceiver } from './webhook-receiver.ts'

const random = seededRandom('command line')
const SPENDER = '0x00000000000000000000000000000000000000a1'
/** No terminal line may have these: controls except line ends, and direction marks. */
const STEERING = /[\p{Cc}\p{Cf}]/u
const hostileLabel = '\u001b[2J\u009b31m\u202eevil\u0007\r\n=cmd()'

const folder = mkdtempSync(join(tmpdir(), 'coffer-cli-'))

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(
  startService({
    devnet,
    env: { COFFER_WEBHOOK_NETWORKS: '127.0.0.1', COFFER_MASTER_KEY: '7'.repeat(64) },
  }),
)
const demo = devnet.wallets.demo.address.toLowerCase()
const env = { COFFER_URL: service.url, COFFER_API_KEY: service.ownerKey }
const { actions, addresses, send, write } = devnet.chains.ethereum
const { usdc } = addresses.tokens
const wallet = random.address()
/** A wallet with a history of a known length. */
const actor = wallet.toLowerCase()
await actions.erc20.mint(usdc, wallet, parseUnits('5000', 6))
const other = random.address()
await actions.native.give(other, parseEther('3'))
await send({ from: other, to: wallet, value: parseEther('3') })
await send({ from: wallet, to: other, value: parseEther('1') })
await write({ from: wallet, address: usdc, abi: erc20Abi, functionName: 'approve', args: [SPENDER, maxUint256] })
await write({ from: wallet, address: usdc, abi: erc20Abi, functionName: 'approve', args: [SPENDER, 2_500_000n] })

afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Env = Readonly<Record<string, string>>
const commandsWith = (own: Env) => (args: string, columns?: number) =>
  runCli(args.split(' '), { env: own, ...(columns !== undefined && { columns }) })
const coffer = commandsWith(env)
const newEnv = async (credits: number) => ({ COFFER_URL: service.url, COFFER_API_KEY: await service.newKey(credits) })
const newAccount = async (credits: number) => commandsWith(await newEnv(credits))
const says = (code: number, text: string) => ({ code, stderr: expect.stringContaining(text) })

async function refuses(run: typeof coffer, commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { code, stdout, stderr } = await run(command)
    expect([command, code, stdout, stderr]).toEqual([command, 2, '', expect.stringMatching(/^\S.*\.\n$/)])
  }
}

/** Whole numbers of 10^-30, so that sums are exact. */
const units = (figure: string) => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(figure) ?? []
  return BigInt(sign + whole + fraction.padEnd(30, '0'))
}
const sum = (figures: readonly string[]) => figures.reduce((total, figure) => total + units(figure), 0n)

function expectToFit(stdout: string, columns: number): void {
  const lines = stdout.split('\n')
  expect(lines.filter((line) => STEERING.test(line))).toEqual([])
  // A title, an address with its net worth, is a separate line that a terminal wraps.
  expect(lines.filter((line) => [...line].length > columns && !line.startsWith('0x'))).toEqual([])
}

describe('login', () => {
  const home = () => ({ XDG_CONFIG_HOME: mkdtempSync(join(folder, 'home-')) })
  const login = (at: Record<string, string>, key: string) =>
    runCli(['login', service.url], { env: at, input: `${key}\n` })

  test('stores the key where its owner alone can read it, and commands use it', async () => {
    const at = home()
    const file = join(at.XDG_CONFIG_HOME, 'coffer/config.json')
    expect(await login(at, service.ownerKey)).toMatchObject({ code: 0, stdout: '' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const amount = { code: 0, stdout: expect.stringMatching(/^\d+\n$/) }
    expect(await runCli(['credits', '--json'], { env: at })).toMatchObject(amount)
    chmodSync(file, 0o640)
    expect(await runCli(['credits'], { env: at })).toMatchObject(says(3, 'chmod 600'))
    expect(await login(at, service.ownerKey)).toMatchObject({ code: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await runCli(['logout'], { env: at })).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(false)
    expect(await runCli(['credits'], { env: at })).toMatchObject(says(3, 'coffer login'))
  })

  test('stores no key that is refused, and shows none', async () => {
    const at = home()
    const refused = await runCli(['login', service.url], { env: at, columns: 80, answers: ['coffer_wrong'] })
    expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('valid key') })
    expect(refused.stderr).not.toContain('coffer_wrong')
    expect(existsSync(join(at.XDG_CONFIG_HOME, 'coffer/config.json'))).toBe(false)
    expect(await login(at, '')).toMatchObject({ code: 2 })
    expect(await runCli(['login', 'ftp://x'], { env: at })).toMatchObject({ code: 2 })
  })

  test('what the environment says wins, and a stored key goes to no other service', async () => {
    const at = home()
    await login(at, await service.newKey(41))
    const credits = (more: Record<string, string>) => runCli(['credits', '--json'], { env: { ...at, ...more } })
    expect((await credits({})).stdout).toBe('41\n')
    expect((await credits({ COFFER_API_KEY: await service.newKey(42) })).stdout).toBe('42\n')
    const elsewhere = await credits({ COFFER_URL: 'http://127.0.0.1:9' })
    expect(elsewhere).toMatchObject({ code: 3, bodies: [], stderr: expect.stringContaining('No key is stored') })
  })
})

describe('what wallets hold', () => {
  test.each([
    'portfolio',
    'portfolio --direct',
    'portfolio --date 2001-01-01T00:00:00Z',
    'series --from 2001-01-01 --to 2001-01-03',
    'nav --currency ETH',
    'status',
  ])('%s as JSON is what the service wrote', async (command) => {
    const { code, stdout, bodies } = await coffer(`${command} ${demo} --json`)
    expect(code).toBe(0)
    expect(stdout).toBe(`${bodies.at(-1)}\n`)
  })

  test('as CSV it has all digits, and adds up to the net worth', async () => {
    const { code, stdout, bodies } = await coffer(`portfolio ${demo} --fresh --csv`)
    const [portfolio] = JSON.parse(bodies.at(-1) ?? '') as Portfolio[]
    const lines = readCsv(stdout)
    const values = lines.map((line) => line['value USD'] ?? '')
    const held = Object.values(portfolio?.assetByProtocols ?? {}).filter(({ assets }) => assets.length > 0)
    expect([...new Set(lines.map(({ protocol }) => protocol))].sort()).toEqual(held.map(({ name }) => name).sort())
    expect(code).toBe(0)
    expect(values.length).toBeGreaterThan(10)
    expect(sum(values.filter((value) => value !== 'N/A'))).toBe(units(portfolio?.networth ?? ''))
  })

  test.each([40, 80, 200])('as a table it fits a terminal of %d columns, and says what it rounds', async (columns) => {
    const { stdout, stderr } = await coffer(`portfolio ${demo}`, columns)
    expectToFit(stdout, columns)
    expect(stdout).toMatch(/^0x\w+ {2}net worth [\d,]+\.\d\d USD .* as of \d{4}-/)
    expect(stderr).toContain('rounded; --json and --csv have all digits')
    expect(stderr.includes('too narrow for')).toBe(columns < 200)
  })

  test('the net asset value has the digits of the answer', async () => {
    const { stdout, bodies } = await coffer(`nav ${demo} --currency BTC --csv`)
    const [, nav = ''] = /"nav":([^,]+),/.exec(bodies.at(-1) ?? '') ?? []
    expect(readCsv(stdout)).toMatchObject([{ nav, currency: 'BTC' }])
    expect(nav.length).toBeGreaterThan(10)
  })

  test('what is missing is said on standard error in every format, and fails with --strict', async () => {
    // A new wallet, on a chain whose node is gone.
    const broken = await startService({
      endpoints: { ethereum: ['http://127.0.0.1:9'], base: [devnet.chains.base.url] },
    })
    try {
      const own = { COFFER_URL: broken.url, COFFER_API_KEY: broken.ownerKey }
      for (const format of ['--json', '--csv']) {
        const { code, stderr } = await runCli(['portfolio', demo, format, '--strict'], { env: own })
        expect([format, code, stderr]).toEqual([format, 7, expect.stringMatching(/Incomplete: 0x\w+ ethereum /)])
      }
      const table = await runCli(['nav', demo], { env: own, columns: 80 })
      expect(table).toMatchObject(says(0, 'Incomplete: ethereum '))
      const lines: string[] = []
      const line = (text: string) => void lines.push(text)
      await runCli(['portfolio', demo], { env: own, columns: 200, onOutput: line, onNote: line })
      expect(lines[0]).toMatch(/^Incomplete: 0x\w+ ethereum /)
    } finally {
      await broken.stop()
    }
  })
})

describe('what wallets did', () => {
  test('before a sync nothing is listed, which is said and what to do', async () => {
    const { code, stdout, stderr } = await coffer(`transactions ${random.address()} --strict`)
    expect([code, stdout]).toEqual([7, 'No transactions.\n'])
    expect(stderr).toMatch(/Incomplete: the sync of 0x\w+ is never[.] .*See "coffer sync 0x/)
  })

  test('a sync says its price first, and starts when it is agreed to', async () => {
    const own = await newEnv(100)
    const credits = async () => (await runCli(['credits', '--json'], { env: own })).stdout
    const price = 'A sync costs 1 credit, plus 1 per 250 new transactions (rounded up); 100 credits are left.'
    const unasked = await runCli(['sync', actor], { env: own })
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toContain(price)
    const declined = await runCli(['sync', actor], { env: own, columns: 100, answers: ['n'] })
    expect(declined).toMatchObject(says(1, 'No sync was started'))
    expect(await credits()).toBe('100\n')

    const done = await runCli(['sync', actor, '--json'], { env: own, columns: 100, answers: ['y'] })
    expect(done).toMatchObject(says(0, price))
    expect(JSON.parse(done.stdout)).toMatchObject([{ address: actor, sync: { state: 'done', newTransactions: 5 } }])
    expect(await credits()).toBe('98\n')
    const again = await runCli(['sync', actor, '--yes'], { env: own })
    expect(again).toMatchObject(says(0, 'Address is synced.'))
    expect(again.stdout).toMatch(/^0x\w+ +all +done/m)
    expect(await credits()).toBe('98\n')
  })

  test('they are listed in each format', async () => {
    const json = await coffer(`transactions ${actor} --json`)
    expect(json.stdout).toBe(`${json.bodies.at(-1)}\n`)
    const { transactions } = JSON.parse(json.stdout) as { transactions: Transaction[] }
    const csv = readCsv((await coffer(`transactions ${actor} --csv`)).stdout)
    expect(csv.map(({ hash }) => hash)).toEqual(transactions.map(({ hash }) => hash))
    expect(csv.map((line) => [line['type'], line['received'], line['given'], line['value USD']])).toEqual([
      ['APPROVAL', '', '', '0'],
      ['APPROVAL', '', '', '0'],
      ['TRANSFEROUT', '', '1 eth', '3000'],
      ['TRANSFERIN', '3 eth', '', '9000'],
      ['TRANSFERIN', '5000 usdc', '', '5000'],
    ])
    for (const columns of [60, 120]) expectToFit((await coffer(`transactions ${actor}`, columns)).stdout, columns)
    const some = '--limit 2 --offset 2 --type transferout,transferin --oldest-first'
    const page = await coffer(`transactions ${actor} ${some} --csv`)
    expect(readCsv(page.stdout).map(({ type }) => type)).toEqual(['TRANSFEROUT'])
    expect((await coffer(`transactions ${actor} --limit 2`)).stderr).toContain('More may follow: --offset 2.')
  })

  test('they are exported whole: to a file, to standard output, and not over a file by mistake', async () => {
    const file = join(folder, 'transactions.csv')
    const direct = await service.client.exportTransactions({ query: { addresses: actor } })
    const expected = Buffer.from(await new Response(direct).arrayBuffer()).toString()
    // Byte order mark: Excel needs it to detect UTF-8.
    expect(expected.charCodeAt(0)).toBe(0xfeff)
    expect(await coffer(`export ${actor} -o ${file}`)).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(file, 'utf8')).toBe(expected)
    expect(existsSync(`${file}.part`)).toBe(false)
    expect(await coffer(`export ${actor}`)).toMatchObject({ code: 0, stdout: expected })
    expect(await coffer(`export ${actor} -o ${file}`)).toMatchObject(says(2, '--force'))
    expect(await coffer(`export ${actor} --format jsonl -o ${file} --force`)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toContain('{"complete":true,"rows":5')
    const unsearched = await coffer(`export ${random.address()}`)
    expect(unsearched.stderr).toContain('Incomplete: the sync of')
  })

  test('a file that breaks off is no file', async () => {
    const file = join(folder, 'broken.csv')
    const body = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('wallet\r\n'))
          controller.error(new TypeError('terminated'))
        },
      })
    const answer = (path: string) =>
      path === '/v1/transactions/export' ? new Response(body(), { headers: { 'content-type': 'text/csv' } }) : undefined
    const { code, stderr } = await runCli(['export', actor, '-o', file], { env, answer })
    expect([code, stderr]).toEqual([6, expect.stringContaining('broke off')])
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false])
    expect(await runCli(['export', actor, '-o', join(folder, 'nowhere/x')], { env })).toMatchObject({ code: 1 })
  })

  test('gains are exported by days, both ends among them', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const { code, stdout } = await coffer(`export gains ${actor} --from 2020-01-01 --to ${today} --format jsonl`)
    expect(code).toBe(0)
    expect(stdout).toContain('"complete":true')
    expect(await coffer(`export gains ${actor}`)).toMatchObject(says(2, '--from and --to'))
  })

  test('a statement of holdings is a page; a day without snapshots has none', async () => {
    const { code, stdout } = await coffer(`export holdings ${actor}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^<!doctype html>\n.*<h1>Statement of holdings<\/h1>.*<\/html>\n$/s)
    expect(await coffer(`export holdings ${actor} --date 2020-01-01`)).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('2020-01-01'),
    })
  })

  test('approvals are listed with what they allow, page by page', async () => {
    const { stdout } = await coffer(`approvals ${actor} --chain ethereum --csv`)
    expect(readCsv(stdout).map((line) => [line['spender'], line['base units'], line['allowed']])).toEqual([
      [SPENDER, '2500000', '2.5'],
      [SPENDER, String(maxUint256), 'unlimited'],
    ])
    const first = await coffer(`approvals ${actor} --chain ethereum --limit 1 --json`)
    expect(first.stdout).toBe(`${first.bodies.at(-1)}\n`)
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? []
    const second = await coffer(`approvals ${actor} --chain ethereum --limit 1 --cursor ${cursor}`, 100)
    expect(second.stdout).toContain('unlimited')
    expectToFit(second.stdout, 100)
    expect(await coffer(`approvals ${actor}`)).toMatchObject(says(2, '--chain'))
    expect(await coffer(`approvals ${actor} --chain moon`)).toMatchObject(says(2, 'ethereum'))
  })
})

describe('the address book', () => {
  test('is kept, and its names stand for addresses', async () => {
    const other = random.address().toLowerCase()
    expect(await coffer(`wallet add ${actor} savings`)).toMatchObject({ code: 0 })
    expect(await runCli(['wallet', 'add', other, hostileLabel], { env })).toMatchObject({ code: 0 })
    expect(await runCli(['wallet', 'bundle', 'all of it', actor, other], { env })).toMatchObject({ code: 0 })
    expect((await runCli(['nav', '@savings', '--csv'], { env })).code).toBe(0)
    const both = await runCli(['status', '@all of it', '--json'], { env })
    expect((JSON.parse(both.stdout) as { address: string }[]).map(({ address }) => address)).toEqual([actor, other])
    expect(await coffer('nav @nobody')).toMatchObject(says(2, '"nobody"'))

    await runCli(['wallet', 'leave', 'all of it', other], { env })
    const { stdout } = await coffer('wallet bundles --csv')
    expect(readCsv(stdout)).toMatchObject([{ name: 'all of it', addresses: actor }])
    expect(await runCli(['wallet', 'unbundle', 'all of it'], { env })).toMatchObject({ code: 0 })
    expect(await coffer('wallet bundles')).toMatchObject({ stdout: 'No bundles.\n' })
  })

  test('untrusted names steer no terminal and run in no spreadsheet', async () => {
    const table = await coffer('wallet list', 120)
    expectToFit(table.stdout, 120)
    expect(table.stdout).toContain('\\u{1b}[2J\\u{9b}31m\\u{202e}evil\\u{7}\\u{d}\\u{a}=cmd()')
    const json = await coffer('wallet list --json', 100)
    expect(STEERING.test(json.stdout.trimEnd())).toBe(false)
    const labels = ({ stdout }: { stdout: string }) =>
      (JSON.parse(stdout) as { data: { label: string }[] }).data.map(({ label }) => label)
    expect(labels(json)).toEqual(['savings', hostileLabel])
    expect((await coffer('wallet list --json')).stdout).toBe(`${json.bodies.at(-1)}\n`)
    const relabelled = await runCli(['wallet', 'label', actor, '=1+1'], { env })
    expect(relabelled.code).toBe(0)
    expect(readCsv((await coffer('wallet list --csv')).stdout)[0]).toMatchObject({ label: "'=1+1" })
    expect(await coffer(`wallet remove ${actor}`)).toMatchObject({ code: 0, stderr: `${actor} is removed.\n` })
    const gone = { code: 1, stderr: expect.stringMatching(/^\S.+\.\n$/) }
    expect(await coffer(`wallet remove ${actor}`)).toMatchObject(gone)
  })
})

const receiver = await started(startReceiver((_, response) => response.end(hostileLabel)))

describe('webhooks', () => {
  test('are made, changed and removed, and their secrets shown once', async () => {
    const run = await newAccount(0)
    expect(await run('webhook list')).toMatchObject({ code: 0, stdout: 'No webhooks.\n' })
    const made = await run(`webhook add ${receiver.url}/hook --kinds sync.ended,snapshot.missed`, 100)
    const { data, secret } = JSON.parse(made.bodies[0] ?? '') as { data: { id: string }; secret: string }
    expectToFit(made.stdout, 100)
    expect(secret).toMatch(/^whsec_/)
    expect(made).toMatchObject(says(0, 'The secret is shown only once'))
    expect(made.stdout.split('\n')[0]).toBe(`secret  ${secret}`)
    expect(made.stdout).toContain(data.id)

    const rotated = await run(`webhook rotate ${data.id} --grace 168 --csv`)
    const [row] = readCsv(rotated.stdout)
    expect(rotated.stderr).toContain('The secret is shown only once')
    expect(row).toMatchObject({ id: data.id, kinds: 'sync.ended snapshot.missed', state: 'enabled' })
    expect([row?.['secret'], row?.['secret'] === secret]).toEqual([expect.stringMatching(/^whsec_/), false])
    const hours = (Date.parse(row?.['old secret until'] ?? '') - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(168)
    const again = await run(`webhook rotate ${data.id} --json`)
    expect(again.stdout).toBe(`${again.bodies[0]}\n`)

    const changed = await run(
      `webhook change ${data.id} --url ${receiver.url}/other --kinds sync.ended --disable --csv`,
    )
    expect(readCsv(changed.stdout)).toMatchObject([
      { id: data.id, URL: `${receiver.url}/other`, kinds: 'sync.ended', state: 'disabled' },
    ])
    const enabled = { code: 0, stdout: expect.stringMatching(/ enabled /) }
    expect(await run(`webhook change ${data.id} --enable`)).toMatchObject(enabled)
    const listed = await run('webhook list --json')
    expect(listed.stdout).toBe(`${listed.bodies[0]}\n`)
    expect(listed.stdout).not.toContain('whsec_')
    expectToFit((await run('webhook list', 60)).stdout, 60)

    const removed = { code: 0, stderr: `The webhook ${data.id} is removed.\n` }
    expect(await run(`webhook remove ${data.id}`)).toMatchObject(removed)
    expect(await run(`webhook remove ${data.id}`)).toMatchObject({ code: 1, stderr: 'There is no such webhook.\n' })
  })

  test('are tested, list deliveries with their responses, and are replayed', async () => {
    const run = await newAccount(0)
    const made = await run(`webhook add ${receiver.url}/hook --kinds sync.ended --json`)
    const { data, secret } = JSON.parse(made.stdout) as { data: { id: string }; secret: string }
    expect(await run(`webhook deliveries ${data.id}`)).toMatchObject({ stdout: 'No deliveries.\n' })
    for (let sent = 0; sent < 2; sent += 1) {
      expect(await run(`webhook test ${data.id}`)).toMatchObject(says(0, `deliveries ${data.id}`))
    }
    const delivered = async () => readCsv((await run(`webhook deliveries ${data.id} --state delivered --csv`)).stdout)
    await expect.poll(delivered).toHaveLength(2)
    const [first] = receiver.received
    expect(() => new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>)).not.toThrow()
    const [newest, oldest] = await delivered()
    expect(oldest).toMatchObject({
      ...{ kind: 'webhook.test', state: 'delivered', attempts: '1', status: '200', error: '', body: first?.body },
      event: first?.headers['webhook-id'],
      answer: '\\u{1b}[2J\\u{9b}31m\\u{202e}evil\\u{7}\\u{d}\\u{a}=cmd()',
    })
    for (const columns of [60, 200]) expectToFit((await run(`webhook deliveries ${data.id}`, columns)).stdout, columns)
    const page = await run(`webhook deliveries ${data.id} --limit 1 --json`)
    expect(page.stdout).toBe(`${page.bodies[0]}\n`)
    expect(page.stderr).toBe(`More deliveries follow: --before ${newest?.['id']}\n`)
    const older = await run(`webhook deliveries ${data.id} --before ${newest?.['id']} --csv`)
    expect(readCsv(older.stdout).map(({ id }) => id)).toEqual([oldest?.['id']])

    const today = new Date().toISOString().slice(0, 10)
    const before = await run(`webhook replay ${data.id} --from 2020-01-01 --to 2020-01-02T00:00:00+01:00 --json`)
    expect(before.stdout).toBe('{"data":{"replayed":0}}\n')
    const whole = await run(`webhook replay ${data.id} --from 2020-01-01 --to ${today} --state delivered`)
    expect(whole.stdout).toBe('replayed\n       2\n')
    await expect.poll(delivered).toHaveLength(2)
    expect((await run(`webhook replay ${data.id} ${oldest?.['id']} --csv`)).stdout).toBe('replayed\r\n1\r\n')
    await expect.poll(() => receiver.received.length).toBe(5)
    const [one, two] = [oldest?.['event'], newest?.['event']]
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([one, two, one, two, one])
  })

  test('are refused with a sentence', async () => {
    const run = await newAccount(0)
    await run(`webhook add ${receiver.url}/1 --kinds sync.ended`)
    const [{ id } = {}] = readCsv((await run('webhook list --csv')).stdout)
    await refuses(run, [
      'webhook add https://hooks.example.com',
      'webhook add https://hooks.example.com --kinds nope',
      'webhook add https://10.0.0.1/hook --kinds sync.ended',
      'webhook add nowhere --kinds sync.ended',
      `webhook change ${id}`,
      `webhook change ${id} --enable --disable`,
      `webhook rotate ${id} --grace 5`,
      `webhook deliveries ${id} --state gone`,
      `webhook replay ${id}`,
      `webhook replay ${id} 1 --from 2026-01-01`,
      `webhook replay ${id} --from yesterday --to 2026-01-01`,
      `webhook replay ${id} first`,
    ])
    for (let made = 2; made <= 10; made += 1) await run(`webhook add ${receiver.url}/${made} --kinds sync.ended`)
    const tooMany = { code: 1, stderr: 'At most 10 webhooks can be saved.\n' }
    expect(await run(`webhook add ${receiver.url}/11 --kinds sync.ended`)).toMatchObject(tooMany)
  })
})

describe('alerts', () => {
  test('are named, listed and ended', async () => {
    const run = await newAccount(100)
    const { usdc } = devnet.chains.ethereum.addresses.tokens
    expect(await run('alert list')).toMatchObject({ code: 0, stdout: 'No alerts.\n' })
    await run(`wallet add ${actor} savings`)
    for (const command of [
      'alert add netWorth @savings --below 1000.5',
      `alert add balance ${actor} --chain ethereum --contract ${usdc} --above 20000`,
      'alert add credits --below 50',
    ])
      expect([command, (await run(command)).code]).toEqual([command, 0])
    const rows = readCsv((await run('alert list --csv')).stdout)
    expect(
      rows.map((row) => [row['type'], row['subject'], row['chain'], row['contract'], row['when'], row['threshold']]),
    ).toEqual([
      ['netWorth', actor, '', '', 'below', '1000.5'],
      ['balance', actor, 'ethereum', usdc.toLowerCase(), 'above', '20000'],
      ['credits', '', '', '', 'below', '50'],
    ])
    const json = await run('alert list --json')
    expect(json.stdout).toBe(`${json.bodies[0]}\n`)
    for (const columns of [80, 200]) expectToFit((await run('alert list', columns)).stdout, columns)
    const id = rows[2]?.['id']
    expect(await run(`alert remove ${id}`)).toMatchObject({ code: 0, stderr: `The alert ${id} is removed.\n` })
    expect(await run(`alert remove ${id}`)).toMatchObject({ code: 1, stderr: 'There is no such watch.\n' })
    expect(readCsv((await run('alert list --csv')).stdout).map((row) => row['type'])).toEqual(['netWorth', 'balance'])
    expect(await run('alert add validator 5')).toMatchObject(says(3, 'does not have the beacon add-on'))
    await refuses(run, [
      'alert add',
      'alert add rain --below 1',
      `alert add netWorth ${actor}`,
      `alert add netWorth ${actor} --below 1 --above 2`,
      `alert add netWorth ${actor} --below 1,000`,
      'alert add netWorth --below 1',
      'alert add netWorth nobody --below 1',
      `alert add balance ${actor} --below 1`,
      `alert add balance ${actor} --below 1 --chain moon --contract ${usdc}`,
      `alert add netWorth ${actor} --below 1 --chain ethereum`,
      `alert add balance ${actor} --below 1 --chain ethereum`,
      'alert add credits --above 5',
      `alert add credits ${actor} --below 5`,
      `alert add airdrops ${actor}`,
      `alert add airdrops ${'1'.repeat(32)}`,
      'alert add validator 5 --below 1',
      'alert add validator 0x5',
    ])
  })

  test('say why the last check was inconclusive', async () => {
    const watch = {
      ...{ id: 'w', type: 'netWorth', address: actor, chain: null, contract: null, validator: null },
      ...{ direction: 'below', threshold: '1', state: 'clear', value: '2', checkedAt: null },
      ...{ incomplete: [{ chain: 'ethereum', protocol: 'a\u001b[2J', reason: 'unreadable' }] },
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    const answer = (path: string) => (path === '/v1/watches' ? Response.json({ data: [watch] }) : undefined)
    const listed = await runCli(['alert', 'list', '--strict', '--csv'], { env, answer })
    expect(listed).toMatchObject({
      code: 7,
      stderr: 'Incomplete: the last check of w was inconclusive: ethereum a\\u{1b}[2J unreadable.\n',
    })
  })
})

describe('watch', () => {
  const linesOf = <Line>(stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)

  async function failSync(wallet: string, reason: string): Promise<void> {
    const { db, pool } = service.context.database
    await pool.query(
      `insert into history_sync (wallet, account_id, state, requested_at, stored, searched_before)
        values ($1, 1, 'running', now(), 7, '{}') on conflict (wallet) do update set state = 'running'`,
      [wallet],
    )
    await endSync(db, wallet, { state: 'failed', reason }, Date.now())
  }

  test('prints events of the wallets as they happen, and resumes after the last one', async () => {
    const [wallet, other] = [random.address().toLowerCase(), random.address().toLowerCase()]
    // An account gets events from its first stream on.
    const listening = Promise.withResolvers<void>()
    const onNote = () => listening.resolve()
    const watching = runCli(['watch', wallet, '--json', '--count', '2'], { env, onNote })
    await listening.promise
    await failSync(other, 'other')
    await failSync(wallet, 'first \u001b[2J')
    await failSync(wallet, 'second')
    const { code, stdout } = await watching
    const events = linesOf<{ type: string; data: { address: string; reason: string } }>(stdout)
    expect(code).toBe(0)
    expect(events.map(({ type, data }) => [type, data.address, data.reason])).toEqual([
      ['sync.ended', wallet, 'first \u001b[2J'],
      ['sync.ended', wallet, 'second'],
    ])
    const table = await runCli(['watch', wallet, '--after', 'evt_0', '--count', '1'], { env, columns: 80 })
    expect(table.stdout).toContain(`sync.ended  ${wallet}  `)
    expect(table.stdout).toContain('first \\u{1b}[2J')
    const csv = await runCli(['watch', '--after', 'evt_0', '--kinds', 'sync.ended', '--count', '2', '--csv'], { env })
    expect(readCsv(csv.stdout).map(({ address }) => address)).toEqual([other, wallet])
  })

  test('listens again after the last event where the stream ends', async () => {
    let streams = 0
    const answer = (path: string) => {
      if (path !== '/v1/events' || streams++ > 0) return undefined
      return new Response(':\n\nid: evt_0\nevent: ready\ndata: {}\n\n')
    }
    const { code, stdout, stderr } = await runCli(['watch', '--count', '1', '--json'], { env, answer })
    expect([code, streams]).toEqual([0, 2])
    expect(JSON.parse(stdout)).toMatchObject({ type: 'sync.ended' })
    expect(stderr).toBe('Listening.\nThe stream of events ended. Reconnecting in 1 s.\n')
  })

  test('asks for transactions where the service has no stream, and says what that costs', async () => {
    const { actions, addresses } = devnet.chains.ethereum
    const [wallet, other] = [random.address(), random.address()]
    for (const owner of [wallet, other]) await actions.erc20.mint(addresses.tokens.usdc, owner, parseUnits('7', 6))
    const [asked, printed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const watching = runCli(['watch', wallet, other, '--poll', '1', '--count', '2', '--json'], {
      env,
      onAnswer: () => asked.resolve(),
      onOutput: () => printed.resolve(),
    })
    await asked.promise
    await syncTransactions(service, wallet)
    await printed.promise
    await syncTransactions(service, other)
    const { code, stdout, stderr } = await watching
    expect([code, stderr]).toEqual([0, 'Requesting transactions every 1 s, at 1 credit each time.\n'])
    const event = (address: string) => ({
      type: 'transaction.found',
      data: { address: address.toLowerCase(), chain: 'ethereum', type: 'TRANSFERIN', succeeded: true },
    })
    expect(linesOf(stdout)).toMatchObject([event(wallet), event(other)])

    const interrupt = new AbortController()
    const answer = (path: string) => (path === '/v1/events' ? new Response('{}', { status: 404 }) : undefined)
    const onAnswer = (path: string) => path === '/v1/transactions' && interrupt.abort()
    const old = await runCli(['watch', wallet], { env, answer, onAnswer, signal: interrupt.signal })
    expect(old).toMatchObject({ code: 130, stderr: 'Requesting transactions every 60 s, at 1 credit each time.\n' })
  })

  test('says so where a newer stream takes its place', async () => {
    const own = await newEnv(1)
    const interrupt = new AbortController()
    const codes: Promise<number>[] = []
    for (let i = 0; i < 5; i += 1) {
      const listening = Promise.withResolvers<void>()
      const onNote = () => listening.resolve()
      codes.push(runCli(['watch'], { env: own, signal: interrupt.signal, onNote }).then(({ code }) => code))
      await listening.promise
    }
    expect(await codes[0]).toBe(5)
    interrupt.abort()
    expect(await Promise.all(codes)).toEqual([5, 130, 130, 130, 130])
  })

  test('ends when it is interrupted', async () => {
    const interrupt = new AbortController()
    const watching = runCli(['watch', '--csv'], { env, signal: interrupt.signal, onOutput: () => interrupt.abort() })
    expect(await watching).toMatchObject({ code: 130 })
  })
})

const keyOfNoCredits = await service.newKey(0)

describe('what goes wrong is said in a sentence, with a code of its own', () => {
  test.each([
    { name: 'a key that is not valid', own: { COFFER_API_KEY: 'coffer_no' }, code: 3, sentence: /coffer login/ },
    {
      name: 'a service that is not there',
      own: { COFFER_URL: 'http://127.0.0.1:1' },
      code: 6,
      sentence: /^No answer came from http:\/\/127\.0\.0\.1:1.* its URL\?\n$/,
    },
    {
      name: 'too few credits',
      own: { COFFER_API_KEY: keyOfNoCredits },
      code: 4,
      sentence: /The call costs 1 credits; 0 are left\./,
    },
  ])('$name', async ({ own, code, sentence }) => {
    const result = await commandsWith({ ...env, ...own })(`nav ${demo}`)
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(sentence) })
  })

  test('too many requests, with the seconds to wait', async () => {
    const run = await newAccount(1)
    await service.context.database.pool.query(
      'update account set rate_limit_default = 1 where id = (select max(id) from account)',
    )
    expect((await run('credits')).code).toBe(0)
    const { code, stderr } = await run('credits')
    expect([code, stderr]).toEqual([5, expect.stringMatching(/Try again in [3-6]\d s\.\n$/)])
  })

  test('arguments that mean nothing', async () => {
    await refuses(coffer, [
      'nav',
      'nav nobody',
      `nav ${demo} --currency XXX`,
      `nav ${demo} --nope`,
      `nav ${demo} --json --csv`,
      'credits more',
      'wallet',
      'strat',
    ])
  })

  test('every command has help with an example that its own rules accept', async () => {
    const { stdout } = await coffer('--help')
    const names = [...stdout.matchAll(/^ {2}coffer (\w+(?: \w+)?) {2,}/gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(15)
    for (const name of names) {
      const help = await coffer(`${name} --help`)
      expect([name, help.code, help.stdout]).toEqual([name, 0, expect.stringContaining(`\n  coffer ${name}`)])
    }
  })
})
