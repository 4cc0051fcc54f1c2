import { readFileSync } from 'node:fs'

export type Examples = Readonly<Record<string, Example | undefined>>

export type Example = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly answer?: unknown
}

/** Recorded from a service over local chains by `npm run examples`. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(new URL('./api-examples.json', import.meta.url), 'utf8'))
}
