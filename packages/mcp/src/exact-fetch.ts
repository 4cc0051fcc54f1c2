type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Keeps figures that a double cannot hold as text; counts stay numbers. */
const exactly: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? (source ?? String(value)) : value

/** Keeps figures exact: some endpoints write decimals as JSON numbers. */
export function exactFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { status, statusText, headers } = response
    if (!response.ok || status === 204) return response
    const text = await response.text()
    const exact = text === '' ? text : JSON.stringify(JSON.parse(text, exactly as Parameters<typeof JSON.parse>[1]))
    return new Response(exact, { status, statusText, headers: withoutLength(headers) })
  }
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-length', 'content-encoding']) kept.delete(name)
  return kept
}
