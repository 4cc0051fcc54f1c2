import { Writable } from 'node:stream'
import { type Host, runUserCommand } from '@coffer/cli'
import { patientFetch } from './harness.ts'

type Given = {
  env: Record<string, string>
  /** Characters of a line of the terminal that both outputs are; none unless given. */
  columns?: number
  /** What the user types, question by question; nobody is there unless given. */
  answers?: string[]
  input?: string
  signal?: AbortSignal
  /** Told the text of standard output as it comes. */
  onOutput?(text: string): void
  /** Stands in for an answer of the service, by the path that is asked for. */
  answer?(path: string): Response | undefined
  /** Told the path of each answer that came. */
  onAnswer?(path: string): void
  /** The same of standard error. */
  onNote?(text: string): void
}

/** What a command came to. `bodies`: the answers of the service, as they were sent. */
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

/** Runs a command of users in this process, with a home of its own. */
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
