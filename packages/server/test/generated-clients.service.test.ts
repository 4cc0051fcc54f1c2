import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startDevnet } from '@coffer/devnet'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { processEnv } from '../src/config/env.ts'
import { startService } from './harness.ts'
import { sized } from './sized.ts'
import { started } from './started.ts'

const packageRoot = join(import.meta.dirname, '..')
/** The packages' programs, and the Node that they run on. */
const bins = [packageRoot, join(packageRoot, '../..')].map((at) => join(at, 'node_modules/.bin'))
const env = {
  PATH: [...bins, processEnv()['PATH']].join(delimiter),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}
const runIn = (cwd: string, [program = '', ...args]: readonly string[]) =>
  promisify(execFile)(program, args, { cwd, env })

const COMPILER_OPTIONS = {
  ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitReturns: true, skipLibCheck: false },
  ...{
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    rootDir: '.',
    outDir: 'out',
  },
}

/** Output of each program below: the answers of two calls, and the refusal of a third. */
type Printed = { credits: unknown; address: unknown; chains: unknown; refused: unknown }

type Tool = { command(document: string, folder: string): readonly string[]; program: string }

/** Programs that use generated code in `./generated` with its names. Arguments: URL, key and wallet. */
const TOOLS: Readonly<Record<string, Tool>> = {
  'openapi-typescript': {
    command: (document, folder) => ['openapi-typescript', document, '--output', join(folder, 'generated.d.ts')],
    program: `
      import createClient from 'openapi-fetch'
      import type { paths } from './generated'
      const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` }, querySerializer: { array: { style: 'form', explode: false } } })
      const { data: credits } = await client.GET('/v1/credits')
      const { data: portfolios } = await client.GET('/v1/portfolio', { params: { query: { addresses: [wallet] } } })
      const { error } = await client.GET('/v1/portfolio', { params: { query: { addresses: ['nobody'] } } })
      print({ credits, address: portfolios?.[0]?.address, chains: Object.keys(portfolios?.[0]?.chains ?? {}).sort(), refused: error && 'message' in error ? error.message : undefined })
    `,
  },
  '@hey-api/openapi-ts': {
    command: (document, folder) => ['openapi-ts', '--input', document, '--output', join(folder, 'generated')],
    program: `
      import { client } from './generated/client.gen'
      import { getCredits, getPortfolio } from './generated'
      client.setConfig({ baseUrl: url, auth: key })
      const { data: credits } = await getCredits()
      const { data: portfolios } = await getPortfolio({ query: { addresses: [wallet] } })
      const { error } = await getPortfolio({ query: { addresses: ['nobody'] } })
      print({ credits, address: portfolios?.[0]?.address, chains: Object.keys(portfolios?.[0]?.chains ?? {}).sort(), refused: error && 'message' in error ? error.message : undefined })
    `,
  },
  orval: {
    command: (document, folder) => [
      'orval',
      '--input',
      document,
      '--output',
      join(folder, 'generated.ts'),
      '--client',
      'fetch',
    ],
    program: `
      import { getCredits, getPortfolio } from './generated'
      const fetchIt = fetch
      globalThis.fetch = (path, init) => fetchIt(new URL(String(path), url), { ...init, headers: { authorization: \`Bearer \${key}\` } })
      const credits = await getCredits()
      const portfolios = await getPortfolio({ addresses: [wallet] })
      const refused = await getPortfolio({ addresses: ['nobody'] })
      const [portfolio] = portfolios.status === 200 ? portfolios.data : []
      print({ credits: credits.data, address: portfolio?.address, chains: Object.keys(portfolio?.chains ?? {}).sort(), refused: refused.status === 400 ? refused.data.message : undefined })
    `,
  },
}

const shell = (program: string) => {
  const imports = program.match(/^\s*import .*$/gm) ?? []
  const rest = program.replace(/^\s*import .*$/gm, '')
  return `${imports.map((line) => line.trim()).join('\n')}
declare const process: { argv: string[] }
const print = (found: object) => console.log(JSON.stringify(found))
async function main(url: string, key: string, wallet: string): Promise<void> {
${rest}
}
const [, , url = '', key = '', wallet = ''] = process.argv
void main(url, key, wallet)
`
}

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))
// Inside the package, so its dependencies resolve.
const folder = mkdtempSync(join(packageRoot, '.generated-'))
const { text } = await service.get('/openapi.json', {})
writeFileSync(join(folder, 'openapi.json'), text)
afterAll(async () => rmSync(folder, { recursive: true, force: true }))

test('Redocly has nothing to say of the document', async () => {
  const lint = ['redocly', 'lint', 'openapi.json', '--extends', 'recommended', '--format', 'json']
  const { stdout } = await runIn(folder, lint)
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
})

/** One generator proves that the document works; `npm run test:deep` takes all. */
const chosen = Object.entries(TOOLS).slice(0, sized({ small: 1, deep: undefined }))

describe.each(chosen)('a client that %s generates', (name, { command, program }) => {
  test('compiles under strict rules and reads what the service answers', async () => {
    const home = join(folder, name.replace(/\W/g, '-'))
    mkdirSync(home)
    await runIn(home, command(join(folder, 'openapi.json'), home))
    writeFileSync(join(home, 'package.json'), '{ "type": "commonjs" }')
    writeFileSync(join(home, 'program.ts'), shell(program))
    const project = { compilerOptions: COMPILER_OPTIONS, include: ['program.ts', 'generated*'] }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(project))
    await runIn(home, ['tsc'])

    const wallet = devnet.wallets.demo.address
    const { stdout } = await runIn(home, ['node', 'out/program.js', service.url, service.ownerKey, wallet])
    const { credits, ...printed } = JSON.parse(stdout) as Printed
    const { json } = await service.get('/v1/portfolio?addresses=nobody')
    const { message } = json() as { message: string }
    expect(printed).toEqual({ address: wallet.toLowerCase(), chains: ['base', 'ethereum'], refused: message })
    expect(credits).toBeTypeOf('number')
  })
})
