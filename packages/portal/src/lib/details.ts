const NONE = '–'

/** Flattens a change into names and texts: nested values have both names, lists show their items. */
export function detailPairs(detail: Readonly<Record<string, unknown>>, prefix = ''): [name: string, text: string][] {
  return Object.entries(detail).flatMap(([name, value]): [string, string][] => {
    const path = prefix + name
    if (isRecord(value)) return detailPairs(value, `${path}.`)
    return [[path, textOf(value)]]
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(value: unknown): string {
  if (value === null) return NONE
  if (Array.isArray(value)) return value.map(textOf).join(', ') || NONE
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
