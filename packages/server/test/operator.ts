import { expect } from 'vitest'
import { runAdmin } from '../src/bin/admin.ts'
import type { Env } from '../src/config/env.ts'

type Run = { code: number; stdout: string; stderr: string }

/** Somebody at a terminal with this environment, who runs `coffer-admin`. */
export type Operator = {
  /** `input` is what the command finds on standard input. */
  run(args: readonly string[], input?: string): Promise<Run>
  /** What a command printed, which must be JSON and nothing else. */
  admin(...args: string[]): Promise<ReturnType<typeof JSON.parse>>
  /** The sentence with which a command was refused. */
  refused(args: readonly string[], input?: string): Promise<string>
}

export function operator(env: Env): Operator {
  async function run(args: readonly string[], input = ''): Promise<Run> {
    const output = { stdout: '', stderr: '' }
    const code = await runAdmin(args, {
      env,
      stdin: async () => input,
      stdout: (text) => {
        output.stdout += text
      },
      stderr: (text) => {
        output.stderr += text
      },
    })
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
