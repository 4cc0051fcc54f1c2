import { type DestinationStream, type Logger, pino } from 'pino'
import { UpstreamError } from './upstream-error.ts'

export type { DestinationStream as LogStream, Logger } from 'pino'

export type WarnLog = { warn(fields: object, message: string): void }

export const logDestination = (file: string): DestinationStream =>
  pino.destination({ dest: file, sync: true, mode: 0o600 })

const SECRET_PATHS = ['authorization', 'apiKey', 'key', 'secret', 'password', 'pepper', 'connectionString'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
)

/** Node URLs carry keys. */
const SECRET_TEXT: readonly [RegExp, string][] = [
  [/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi, '$1[redacted]@'],
  [/(https?:\/\/[^/\s"'?#]+)[^\s"']*/gi, '$1/[redacted]'],
  [/\bBearer\s+\S+/gi, 'Bearer [redacted]'],
  [/\bcoffer_[A-Za-z0-9_]+/g, '[redacted]'],
]

function redact(message: string): string {
  return SECRET_TEXT.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message)
}

/** Upstream failures are expected: no stack. */
type LoggedError = { type: string; message: string; stack?: string; cause?: LoggedError }

function errorForLog(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: redact(String(thrown)) }
  return {
    type: thrown.name,
    message: redact(thrown.message),
    ...(thrown.stack !== undefined && !(thrown instanceof UpstreamError) && { stack: redact(thrown.stack) }),
    ...(thrown.cause !== undefined && depth < 3 && { cause: errorForLog(thrown.cause, depth + 1) }),
  }
}

export function createLogger({ level, stream }: { level: string; stream?: DestinationStream }): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    serializers: { err: (thrown: unknown) => errorForLog(thrown) },
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: {
      logMethod(args: Parameters<Logger['info']>, method: (...args: Parameters<Logger['info']>) => void) {
        const safe = args.map((part) => (typeof part === 'string' ? redact(part) : part))
        method.apply(this, safe as Parameters<Logger['info']>)
      },
    },
  }
  return stream ? pino(options, stream) : pino(options)
}
