/** Every number of a JSON answer as the text that stands for it there. */
export type Lossless<T> = T extends number
  ? string
  : T extends readonly (infer Item)[]
    ? Lossless<Item>[]
    : T extends object
      ? { [K in keyof T]: Lossless<T[K]> }
      : T

/** What browsers pass to a reviver since 2025; TypeScript's own types do not know it yet. */
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown

/**
 * Parses an answer of `/v1`. Some endpoints write exact decimals as JSON numbers (`nav`, transactions, validators), with more
 * digits than a double keeps: all numbers become their source text here, once for all of them, and stay text up to the screen.
 */
export function parseLossless(text: string): unknown {
  return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, (_key, value, context) => {
    if (typeof value !== 'number') return value
    if (context?.source === undefined) throw new Error('This browser is too old to read exact figures.')
    return context.source
  })
}
