/** Part of the language, but not yet of its type declarations: text that goes into JSON as it is. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

const INTEGER = /^-?\d+$/

/** JSON in which a bigint is a number with all its digits. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(each.toString()) : each))

/** Reads JSON; integers that a double cannot hold become bigints. Throws a SyntaxError on anything else. */
export const readJson = (text: string): unknown =>
  JSON.parse(text, (_key: string, each: unknown, context?: { source: string }) => {
    const isInexact = typeof each === 'number' && !Number.isSafeInteger(each)
    return isInexact && context && INTEGER.test(context.source) ? BigInt(context.source) : each
  })
