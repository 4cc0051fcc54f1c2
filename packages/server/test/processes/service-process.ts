import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Env, processEnv } from '../../src/config/env.ts'

const mainProgram = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const adminProgram = fileURLToPath(new URL('../../bin/coffer-admin.mjs', import.meta.url))

/** Each child finds what others have compiled: a start takes a third less CPU. */
export const CHILD_ENV: Env = {
  PATH: processEnv()['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../.coffer/compiled', import.meta.url)),
}

/** As `npm start` sets them (scripts/run.mjs). */
const HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=50']

/** A run of `main.ts` as a process of its own, from its start to its end. */
export type ServiceProcess = {
  readonly child: ChildProcess
  /** What it has printed so far. */
  stdout(): string
  stderr(): string
  /** The match of what it prints on standard output, as soon as it is there; fails when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends the signal and answers the exit code, null when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** The exit code, once it has ended and all that it printed is there. */
  readonly ended: Promise<number | null>
}

/** Starts the service with these variables and no others and these arguments, on free ports unless they say otherwise. */
export function startProcess(env: Env, ...args: string[]): ServiceProcess {
  return startProgram(process.execPath, [...HEAP, mainProgram, ...args], { ...CHILD_ENV, ...env })
}

/** Starts a program that starts the service, as `startProcess` does. */
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

/** Signals a detached child and its children, as Ctrl-C does: npx does not pass SIGTERM to the program that it runs. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Where a process listens, once it does. */
export async function readyAt(service: ServiceProcess): Promise<{ url: string; adminUrl: string }> {
  const [, url = '', adminUrl = ''] = await service.printed(
    /Coffer is ready at (\S+) \(health and metrics: (\S+)\)\.\n/,
  )
  return { url, adminUrl }
}

/** A run of `coffer-admin`, as an operator's. */
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
