/** Inserts text unchanged. Missing in the type declarations. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

const INTEGER = /^-?\d+$/

/** Bigints keep all digits. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(each.toString()) : each))

/** Integers beyond a double's precision become bigints. Throws a SyntaxError. */
export const readJson = (text: string): unknown =>
  JSON.parse(text, (_key: string, each: unknown, context?: { source: string }) => {
    const isInexact = typeof each === 'number' && !Number.isSafeInteger(each)
    return isInexact && context && INTEGER.test(context.source) ? BigInt(context.source) : each
  })
