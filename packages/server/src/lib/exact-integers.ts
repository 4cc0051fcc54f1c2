/** Inside a string the quote would be escaped. */
const NAMED = /(?<!\\)(":\s*)(\d{16,})(?=\s*[,}])/g
const LISTED = /[[,]\s*\d{16,}\s*[,\]]/

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && /^\d+$/.test(source)
    ? source
    : value

/** Integers beyond a double become strings. The fast path converts all properties of 16 or more digits. */
export function parseExactIntegers(text: string): unknown {
  if (LISTED.test(text)) return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
  return JSON.parse(text.replace(NAMED, '$1"$2"'))
}
