import { afterAll, expect } from 'vitest'
import { openOver, runAdmin } from '../src/bin/run-admin.ts'
import type { Env } from '../src/config/env.ts'
import type { Database } from '../src/db/database.ts'
import { testDatabase } from './database.ts'

type Run = { code: number; stdout: string; stderr: string }

export type Operator = {
  /** `input`: standard input. */
  run(args: readonly string[], input?: string): Promise<Run>
  /** Output must be only JSON. */
  admin(...args: string[]): Promise<ReturnType<typeof JSON.parse>>
  refused(args: readonly string[], input?: string): Promise<string>
}

/** With an open `database`, commands skip the checks of a start. */
export function operator(env: Env, database?: Pick<Database, 'db'>): Operator {
  async function run(args: readonly string[], input = ''): Promise<Run> {
    const output = { stdout: '', stderr: '' }
    const terminal = {
      env,
      stdin: async () => input,
      stdout: (text: string) => {
        output.stdout += text
      },
      stderr: (text: string) => {
        output.stderr += text
      },
    }
    const code = await runAdmin(args, terminal, database && openOver(database.db))
    return { code, ...output }
  }
  return {
    run,
    async admin(...args) {
      const { code, stdout, stderr } = await run(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout)
    },
    async refused(args, input) {
      const { code, stdout, stderr } = await run(args, input)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^[^\n]+\n$/)
      return stderr.trimEnd()
    },
  }
}

/** A database of its own with the account `1`. Nothing listens at its node. */
export async function commandBench(name: string, env: Env = {}) {
  const database = await testDatabase(name)
  afterAll(() => database.drop())
  const chain = { COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  const settings = { COFFER_MASTER_KEY: '7f'.repeat(32), ...chain, ...env }
  const bench = operator(settings, database)
  const account: string = (await bench.admin('account', 'create', '--name', 'acme', '--credits', '5')).id
  return { ...bench, database, account, env: settings }
}
