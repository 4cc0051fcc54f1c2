import type { Endpoint } from '@coffer/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'

export type Checked = { status: number; headers: Headers; body: unknown }

export type ServedDocument = { paths: Record<string, Record<string, Operation>>; components: object }

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> }

/** Checks status, content type, schema and common headers against the served OpenAPI document. */
export function createResponseCheck({ paths, components }: ServedDocument) {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const validators = new Map<string, ValidateFunction>()

  function validatorOf(key: string, schema: object): ValidateFunction {
    const validate = validators.get(key) ?? ajv.compile({ ...schema, components })
    validators.set(key, validate)
    return validate
  }

  return async function check(endpoint: Endpoint, response: Response): Promise<Checked> {
    const { status, headers } = response
    checkHeaders(status, headers)
    const operation = paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
    const documented = operation?.responses[status]
    expect(documented, `${endpoint.method} ${endpoint.path} answered ${status}, which is not documented`).toBeDefined()
    const text = await response.text()
    const [[type, media] = []] = Object.entries(documented?.content ?? {})
    if (type === undefined || media === undefined) {
      expect(text).toBe('')
      return { status, headers, body: undefined }
    }
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    const isText = endpoint.streams ? status < 400 : status >= 400 && type === 'text/plain'
    const body = isText ? text : JSON.parse(text)
    const validate = validatorOf(`${endpoint.method} ${endpoint.path} ${status}`, media.schema)
    expect(validate(body), `${text.slice(0, 500)} ${ajv.errorsText(validate.errors)}`).toBe(true)
    return { status, headers, body }
  }
}

export function checkHeaders(status: number, headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  for (const value of [limit, remaining, reset]) expect(value).toMatch(/^\d+$/)
  expect(Number(remaining)).toBeLessThanOrEqual(Number(limit))
  expect(headers.get('x-request-id')).toMatch(/^\S+$/)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
  expect(headers.get('x-powered-by')).toBeNull()
  if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer')
  if (status === 429 || status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
}
