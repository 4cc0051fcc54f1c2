import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Env, processEnv } from '../../src/config/env.ts'

const mainProgram = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const adminProgram = fileURLToPath(new URL('../../bin/coffer-admin.mjs', import.meta.url))

/** Children share compiled code: a start takes a third less CPU. */
export const CHILD_ENV: Env = {
  PATH: processEnv()['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../.coffer/compiled', import.meta.url)),
}

/** As `npm start` (scripts/run.mjs). */
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=50']

export type ServiceProcess = {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Rejects when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Null when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** Resolves after all output. */
  readonly ended: Promise<number | null>
}

/** Only these variables; free ports by default. */
export function startProcess(env: Env, ...args: string[]): ServiceProcess {
  return startProgram(process.execPath, [...HEAP, mainProgram, ...args], { ...CHILD_ENV, ...env })
}

export function startProgram(
  program: string,
  args: readonly string[],
  env: Env,
  options: Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'> = {},
): ServiceProcess {
  const child = spawn(program, args, {
    ...options,
    env: { PATH: processEnv()['PATH'], TZ: 'UTC', COFFER_PORT: '0', COFFER_ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)

  async function printed(pattern: RegExp): Promise<RegExpExecArray> {
    const isOver = ended.then(() => true)
    for (;;) {
      const found = pattern.exec(output.stdout)
      if (found) return found
      const over = await Promise.race([isOver, once(child.stdout, 'data').then(() => false)])
      if (over && !pattern.test(output.stdout)) {
        throw new Error(`the service ended with code ${child.exitCode}: ${output.stderr.slice(-2_000)}`)
      }
    }
  }

  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    printed,
    ended,
    async end(signal) {
      if (options.detached) signalGroup(child, signal)
      else child.kill(signal)
      return ended
    },
  }
}

/** Signals the children too, like Ctrl-C: npx does not pass SIGTERM on. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

export async function readyAt(service: ServiceProcess): Promise<{ url: string; adminUrl: string }> {
  const [, url = '', adminUrl = ''] = await service.printed(
    /Coffer is ready at (\S+) \(health and metrics: (\S+)\)\.\n/,
  )
  return { url, adminUrl }
}

export async function runAdmin(env: Env, ...args: string[]): Promise<{ code: number | null; stdout: string }> {
  const child = spawn(process.execPath, [adminProgram, ...args], {
    env: { ...CHILD_ENV, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const [code] = await once(child, 'close')
  return { code: code as number | null, stdout }
}
