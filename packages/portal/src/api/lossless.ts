/** JSON numbers are source text. */
export type Lossless<T> = T extends number
  ? string
  : T extends readonly (infer Item)[]
    ? Lossless<Item>[]
    : T extends object
      ? { [K in keyof T]: Lossless<T[K]> }
      : T

/** Browsers pass `context.source` since 2025; TypeScript's own type lacks it. */
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown

/**
 * Parses an answer of `/v1`. Some endpoints write exact decimals as JSON numbers (`nav`, transactions, validators),
 * with more digits than a double keeps. All numbers become their source text and stay text up to the screen.
 */
export function parseLossless(text: string): unknown {
  return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, (_key, value, context) => {
    if (typeof value !== 'number') return value
    if (context?.source === undefined) throw new Error('This browser is too old to read exact figures.')
    return context.source
  })
}
