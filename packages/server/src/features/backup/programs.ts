import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { StartupError } from '../../lib/startup-error.ts'

/** `folder`: of the client programs of PostgreSQL; null: on PATH of `env`. */
export type Programs = { folder: string | null; env: Readonly<Record<string, string | undefined>> }

/** The password travels in the environment: other users see arguments. */
export async function runProgram(
  { folder, env }: Programs,
  name: 'pg_dump' | 'pg_restore',
  url: string,
  args: readonly string[],
): Promise<void> {
  const target = new URL(url)
  const password = decodeURIComponent(target.password)
  target.password = ''
  const program = folder === null ? name : join(folder, name)
  const child = spawn(program, [...args, `--dbname=${target.href}`], {
    env: { ...env, ...(password !== '' && { PGPASSWORD: password }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = text(child.stderr)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(missing(name, cause)))
    child.once('close', resolve)
  })
  const reasons = (await said).trim().split('\n').slice(0, 3)
  if (code !== 0) throw new StartupError(`${name} failed: ${reasons.join('; ').replaceAll(`${name}: `, '')}`)
}

const missing = (name: string, cause: Error) =>
  new StartupError(
    `${name} cannot be run: install the client programs of PostgreSQL, of the server's release or newer, or name their folder with --programs.`,
    { cause },
  )
