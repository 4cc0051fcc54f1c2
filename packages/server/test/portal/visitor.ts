/** `body`: its JSON, unchanged. */
export type PortalAnswer = {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export type Sending = { body?: unknown; raw?: string; headers?: Readonly<Record<string, string | undefined>> }

/** Browser on one machine, as the service's proxy reports it; keeps its cookie. */
export type Visitor = ReturnType<typeof createVisitor>

let machines = 0
/** Keeps limits by address within each test. */
export function newAddress(): string {
  machines += 1
  return `10.0.${machines >> 8}.${machines & 255}`
}

export function createVisitor(url: string, origin = 'https://coffer.example') {
  const address = newAddress()
  const { protocol, host } = new URL(origin)
  const usual = {
    'x-forwarded-for': address,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    'sec-fetch-site': 'same-origin',
    'user-agent': 'test browser',
  }
  let cookie: string | undefined
  let flow: string | undefined

  function keep(lines: readonly string[]) {
    for (const line of lines) {
      const [pair] = line.split(';', 1)
      if (line.includes('coffer-openid=')) flow = pair
      else cookie = pair
    }
  }
  const sentCookie = () => [cookie, flow].filter((pair) => pair !== undefined).join('; ') || undefined

  async function call(method: string, path: string, { body, raw, headers = {} }: Sending = {}): Promise<PortalAnswer> {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const all = {
      ...usual,
      cookie: sentCookie(),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const given = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined)
    const response = await fetch(url + path, {
      method,
      headers: given,
      ...(content !== undefined && { body: content }),
    })
    keep(response.headers.getSetCookie())
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }

  return {
    address,
    origin,
    call,
    get: (path: string, sending?: Sending) => call('GET', `/portal/api${path}`, sending),
    post: (path: string, body: unknown = {}) => call('POST', `/portal/api${path}`, { body }),
    patch: (path: string, body: unknown) => call('PATCH', `/portal/api${path}`, { body }),
    remove: (path: string) => call('DELETE', `/portal/api${path}`),
    /** As sent, `name=value`. */
    cookie: () => cookie,
    flow: () => flow,
    takeCookie(given: string | undefined) {
      cookie = given
    },
    takeFlow(given: string | undefined) {
      flow = given
    },
  }
}

export const SIGNED_OUT = { status: 401, body: { code: 'UNAUTHORIZED' } }
