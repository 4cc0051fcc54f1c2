import { defineConfig } from 'vitest/config'

const deep = process.env['DEEP_TESTS'] === '1'

const base = {
  env: { TZ: 'UTC' },
  provide: { deep },
  testTimeout: deep ? 3_600_000 : 30_000,
  hookTimeout: 180_000,
}

/**
 * unit: no server beside it. sql: a real PostgreSQL. chain: real protocol contracts on local nodes.
 * service: the whole service over both. `npm run test:deep` runs the heavier sizes of the same files.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...base,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'packages/server/test/rules/*.test.ts'],
          exclude: ['**/*.{sql,chain,service}.test.ts'],
        },
      },
      {
        test: {
          ...base,
          name: 'sql',
          include: ['packages/server/{src,test}/**/*.sql.test.ts'],
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
          include: ['packages/server/test/**/*.service.test.ts'],
          globalSetup: ['packages/server/test/global-postgres.ts', 'packages/server/test/global-devnet.ts'],
        },
      },
    ],
  },
})
