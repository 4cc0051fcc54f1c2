import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** What the commands use of the process that they run in. */
export type Host = {
  env: Readonly<Record<string, string | undefined>>
  stdout: Writable
  stderr: Writable
  /** Characters of a line where standard output is a terminal; undefined elsewhere. */
  columns: number | undefined
  /** The same of standard error. */
  errorColumns: number | undefined
  /** Asks at the terminal; undefined without one. A secret is not shown while it is typed. */
  ask(question: string, as?: 'secret'): Promise<string | undefined>
  /** All of standard input, where it is no terminal. */
  input(): Promise<string>
  fetch: typeof globalThis.fetch
  /** Aborted when the user interrupts the command. */
  signal: AbortSignal
}

/** The reader of the output, e.g. `head`, has closed it. */
const READER_LEFT = 'EPIPE'

/** This process as a host. The first interrupt ends the command, a second one the process. */
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
  // A terminal in raw mode sends an interrupt to the reader of lines instead of the process.
  lines.once('SIGINT', () => process.emit('SIGINT'))
  try {
    if (isSecret) stderr.write(question)
    return await lines.question(isSecret ? '' : question, { signal })
  } finally {
    lines.close()
    if (isSecret) stderr.write('\n')
  }
}
