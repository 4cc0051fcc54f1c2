import { CofferError, ConnectionError, UnexpectedAnswerError } from '@coffer/client'

/** Exit codes, as in docs/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  credits: 4,
  busy: 5,
  unavailable: 6,
  incomplete: 7,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** `message`: why the command failed and what to do, in sentences. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

export const usageProblem = (message: string) => new Problem(message, EXIT.usage)

type Advice = { exitCode: ExitCode; advice(error: CofferError): string }

const nothing = () => ''
const seconds = ({ retryAfterSeconds }: CofferError) =>
  retryAfterSeconds === undefined ? 'Try again later.' : `Try again in ${Math.ceil(retryAfterSeconds)} s.`

const UNEXPECTED: Advice = {
  exitCode: EXIT.unavailable,
  advice: ({ requestId }) =>
    `The result is unknown. Try again later${requestId ? `, or report request ${requestId} to the operator` : ''}.`,
}

/** By HTTP status. */
const ADVICE: Readonly<Record<number, Advice>> = {
  400: { exitCode: EXIT.usage, advice: nothing },
  401: { exitCode: EXIT.refused, advice: () => 'Run "coffer login" with a valid key.' },
  402: { exitCode: EXIT.credits, advice: (error) => `${creditsOf(error)}Ask the operator for credits.` },
  403: { exitCode: EXIT.refused, advice: () => 'Ask the operator which endpoints the plan of the account includes.' },
  404: { exitCode: EXIT.failed, advice: nothing },
  409: { exitCode: EXIT.failed, advice: nothing },
  422: { exitCode: EXIT.failed, advice: nothing },
  429: { exitCode: EXIT.busy, advice: seconds },
  501: { exitCode: EXIT.failed, advice: () => 'The operator has not configured this.' },
  502: {
    exitCode: EXIT.unavailable,
    advice: () => 'The result is unknown, not zero. Nothing was charged. Try again in a minute.',
  },
  503: { exitCode: EXIT.busy, advice: seconds },
}

function creditsOf({ body }: CofferError): string {
  const { creditsRequired, creditsAvailable } = Object(body) as Record<string, unknown>
  if (creditsRequired === undefined || creditsAvailable === undefined) return ''
  return `The call costs ${creditsRequired} credits; ${creditsAvailable} are left. `
}

export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  if (thrown instanceof CofferError) return refusal(thrown)
  if (thrown instanceof ConnectionError) {
    return new Problem(
      `${thrown.message}${causeOf(thrown)}. Is the service running, and is this its URL?`,
      EXIT.unavailable,
    )
  }
  if (thrown instanceof UnexpectedAnswerError) return new Problem(thrown.message, EXIT.unavailable)
  const { code, message } = Object(thrown) as { code?: unknown; message?: unknown }
  return new Problem(typeof code === 'string' ? `${message}` : `This is a bug of coffer: ${message}`)
}

function refusal(error: CofferError): Problem {
  const { exitCode, advice } = ADVICE[error.status] ?? UNEXPECTED
  const said = error.message.replace(`${error.status}: `, '').replace(/\.?$/, '.')
  return new Problem(`${said} ${advice(error)}`.trim(), exitCode)
}

/** For example `ECONNREFUSED`. */
function causeOf({ cause }: ConnectionError): string {
  const { code } = Object(Object(cause).cause) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}
