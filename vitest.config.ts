import { hash } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { hasChromium } from './packages/server/test/browser/chromium.ts'
import { HANGS_MS } from './packages/server/test/hangs.ts'

const deep = process.env['DEEP_TESTS'] === '1'
const { COFFER_TEST_SEED, COFFER_TEST_ORDER, COFFER_TEST_WALLETS = '100000', CI } = process.env
const seed = COFFER_TEST_SEED ? Number(COFFER_TEST_SEED) : null

/** Files of a project stay together: a worker loads the modules of a project once, and ends when the next file is of another. */
function inProjects(files: readonly TestSpecification[], keyOf: (name: string) => string): TestSpecification[] {
  const keysOf = ({ project, moduleId }: TestSpecification) => [keyOf(project.name), keyOf(moduleId)] as const
  const compare = (a: string, b: string) => a.localeCompare(b, 'en')
  return files.toSorted((one, other) => {
    const [a, b] = [keysOf(one), keysOf(other)]
    return compare(a[0], b[0]) || compare(a[1], b[1])
  })
}

class Alphabetical extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inProjects(files, (name) => name)
  }
}

/** By `COFFER_TEST_SEED`, or by a seed that it prints. */
class Random extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = seed ?? Date.now()
    console.log(`order of files: seed ${order}`)
    return inProjects(files, (name) => hash('sha256', `${order} ${name}`))
  }
}

/** `COFFER_TEST_ORDER=alphabetical` or `random`; vitest itself starts with what failed and took longest before. */
const orders = { alphabetical: Alphabetical, random: Random }

const base = {
  env: { TZ: 'UTC' },
  setupFiles: ['packages/server/test/fixed-seed.ts'],
  provide: { deep, seed, apart: false, wallets: Number(COFFER_TEST_WALLETS) },
  // A quarter of all CPU was spent on loading the same modules anew for each file. No file keeps what it changes in them.
  isolate: false,
  // Bounds what hangs, not what is slow: a busy machine takes several times as long.
  testTimeout: deep ? 3_600_000 : 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: HANGS_MS } },
  // A sixth less CPU than with V8's 16 MB: tests leave much garbage, and a worker has the memory.
  execArgv: ['--max-semi-space-size=64'],
  // By Node itself, as the service runs: a tenth less CPU than Vite's modules.
  experimental: { viteModuleRunner: false },
}

const globalSetup = ['packages/server/test/global-postgres.ts', 'packages/server/test/global-devnet.ts']

const databaseSetup = [...base.setupFiles, 'packages/server/test/check-statements.ts']

/** Without a browser they are left out, where nobody relies on them. */
const runsBrowser = hasChromium() || Boolean(CI)
if (!runsBrowser) console.warn('No Chromium was found (COFFER_CHROMIUM, PATH, npm): tests of the portal are left out.')

/**
 * Service tests that say the same with API and worker apart: they start processes of their own, with the roles that they
 * are about, or a service that no job is ever sent to.
 */
const INDIFFERENT_TO_ROLES = [
  'packages/server/test/beacon/*.service.test.ts',
  'packages/server/test/packages/*.service.test.ts',
  'packages/server/test/processes/*.service.test.ts',
  'packages/server/test/{cli,generated-clients,openapi}.service.test.ts',
]

/**
 * Tests that run with API and worker apart in `npm test`: syncs and following, events and facts between processes.
 * `npm run test:deep` runs all.
 */
const APART = ['event-stream', 'facts-of-processes', 'follower'].map(
  (name) => `packages/server/test/journeys/${name}.service.test.ts`,
)

/**
 * Programs that play whole journeys, or wait for a killed process to be missed; their steps have tests that `npm test`
 * runs. `npm run test:deep` plays them.
 */
const PLAYED = ['documented-commands', 'first-hour', 'killed-computation'].map(
  (name) => `packages/server/test/processes/${name}.service.test.ts`,
)

/** Sources that Vite builds: they have JSX and its own ways to import. */
const PORTAL = 'packages/portal/src/**/*.test.ts'

/** Compiles contracts that tests alone run, half a minute of CPU: an old artifact fails the tests that it was changed for. */
const COMPILES = 'packages/devnet/src/compile.test.ts'

/** Plans over a generated database, for `npm run test:deep`. */
const GENERATED = 'packages/server/test/scale/plans.sql.test.ts'

/**
 * unit: no server; portal: the same for the portal. sql: a real PostgreSQL. chain: real protocol contracts on local nodes.
 * service: the whole service over both; service-apart: some of them with API and worker apart. browser: the portal in a
 * real Chromium, over the whole service.
 * `npm run test:deep` runs the heavier sizes of the same files.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    ...(COFFER_TEST_ORDER && { sequence: { sequencer: orders[COFFER_TEST_ORDER as keyof typeof orders] } }),
    // Tests of faults wait more than they compute.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...base,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'packages/server/test/rules/*.test.ts'],
          exclude: ['**/*.{sql,chain,service}.test.ts', PORTAL, ...(deep ? [] : [COMPILES])],
        },
      },
      {
        test: { ...base, name: 'portal', include: [PORTAL], experimental: { viteModuleRunner: true } },
      },
      {
        test: {
          ...base,
          name: 'sql',
          setupFiles: databaseSetup,
          include: ['packages/server/{src,test}/**/*.sql.test.ts'],
          exclude: deep ? [] : [GENERATED],
          globalSetup: ['packages/server/test/global-postgres.ts'],
        },
      },
      {
        test: {
          ...base,
          name: 'chain',
          include: ['packages/{server,devnet,beacon-devnet}/{src,test}/**/*.chain.test.ts'],
          globalSetup: ['packages/server/test/global-devnet.ts'],
        },
      },
      {
        test: {
          ...base,
          name: 'service',
          setupFiles: databaseSetup,
          include: ['packages/server/test/**/*.service.test.ts'],
          exclude: deep ? [] : PLAYED,
          globalSetup,
        },
      },
      {
        test: {
          ...base,
          name: 'service-apart',
          setupFiles: databaseSetup,
          provide: { ...base.provide, apart: true },
          include: deep ? ['packages/server/test/**/*.service.test.ts'] : APART,
          exclude: INDIFFERENT_TO_ROLES,
          globalSetup,
        },
      },
      {
        test: {
          ...base,
          name: 'browser',
          include: runsBrowser ? ['packages/server/test/**/*.browser.test.ts'] : [],
          globalSetup,
        },
      },
    ],
  },
})
