import { Writable } from 'node:stream'
import { type Host, runUserCommand } from '@coffer/cli'
import { patientFetch } from './harness.ts'

type Given = {
  env: Record<string, string>
  /** Width of both outputs; no terminal by default. */
  columns?: number
  /** One per question; no user by default. */
  answers?: string[]
  input?: string
  signal?: AbortSignal
  onOutput?(text: string): void
  answer?(path: string): Response | undefined
  onAnswer?(path: string): void
  /** Standard error. */
  onNote?(text: string): void
}

/** `bodies`: the service's, unchanged. */
export type Ran = { code: number; stdout: string; stderr: string; bodies: string[] }

function collector(onText?: (text: string) => void) {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      onText?.(chunk.toString())
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

export async function runCli(args: readonly string[], given: Given): Promise<Ran> {
  const [stdout, stderr] = [collector(given.onOutput), collector(given.onNote)]
  const bodies: string[] = []
  const answers = [...(given.answers ?? [])]
  const host: Host = {
    ...{ env: given.env, stdout: stdout.stream, stderr: stderr.stream },
    ...{ columns: given.columns, errorColumns: given.columns },
    async ask(question) {
      if (given.answers === undefined) return undefined
      stderr.stream.write(question)
      return answers.shift()
    },
    input: async () => given.input ?? '',
    async fetch(input, init) {
      const { pathname } = new URL(String(input))
      const response = given.answer?.(pathname) ?? (await patientFetch(input, init))
      if (/json/.test(response.headers.get('content-type') ?? '')) bodies.push(await response.clone().text())
      given.onAnswer?.(pathname)
      return response
    },
    signal: given.signal ?? new AbortController().signal,
  }
  const code = await runUserCommand(args, host)
  return { code, stdout: stdout.text(), stderr: stderr.text(), bodies }
}
