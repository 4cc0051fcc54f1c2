import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

export type Host = {
  env: Readonly<Record<string, string | undefined>>
  stdout: Writable
  stderr: Writable
  /** Terminal columns of standard output; undefined if it is not a terminal. */
  columns: number | undefined
  /** The same for standard error. */
  errorColumns: number | undefined
  /** Undefined without a terminal. Does not echo a secret. */
  ask(question: string, as?: 'secret'): Promise<string | undefined>
  /** All of standard input, if it is not a terminal. */
  input(): Promise<string>
  fetch: typeof globalThis.fetch
  /** Aborted by the user's interrupt. */
  signal: AbortSignal
}

/** The reader, e.g. `head`, has closed the output. */
const READER_LEFT = 'EPIPE'

/** The first interrupt aborts the command, the second ends the process. */
export function processHost(): Host {
  const { stdin, stdout, stderr, env } = process
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === READER_LEFT ? 0 : 1))
  return {
    env,
    stdout,
    stderr,
    columns: stdout.isTTY ? stdout.columns : undefined,
    errorColumns: stderr.isTTY ? stderr.columns : undefined,
    ask: (question, as) =>
      stdin.isTTY ? ask(question, as === 'secret', interrupted.signal) : Promise.resolve(undefined),
    input: () => text(stdin),
    fetch: globalThis.fetch,
    signal: interrupted.signal,
  }
}

async function ask(question: string, isSecret: boolean, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true })
  // In raw mode a terminal sends the interrupt to the line reader instead of the process.
  lines.once('SIGINT', () => process.emit('SIGINT'))
  try {
    if (isSecret) stderr.write(question)
    return await lines.question(isSecret ? '' : question, { signal })
  } finally {
    lines.close()
    if (isSecret) stderr.write('\n')
  }
}
