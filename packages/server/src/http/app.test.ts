import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { endpoints } from '@coffer/contract'
import { expect, test } from 'vitest'
import { memoryApp, suiteApp } from '../../test/memory-app.ts'

const { app } = await suiteApp({
  endpoints: { getCredits: endpoints.getCredits },
  handlers: { getCredits: () => 1 },
  publicRoutes: [
    {
      path: '/icons/:name',
      small: true,
      read: ({ name }) =>
        name === 'a.svg' ? { contentType: 'image/svg+xml', body: '<svg/>', headers: { 'x-of': 'icons' } } : undefined,
    },
  ],
})

test('/openapi.json needs no key, and counts as a call', async () => {
  const response = await app.inject('/openapi.json')
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  expect(Object.keys(response.json().paths)).toEqual(['/v1/credits'])
  expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' })
})

test('the reference needs no key, loads nothing from elsewhere and is shown in no frame', async () => {
  for (const path of ['/docs', '/']) {
    const redirect = await app.inject(path)
    expect([redirect.statusCode, redirect.headers.location]).toEqual([301, '/docs/'])
  }
  const aside = await app.inject('/docs/reference')
  expect([aside.statusCode, aside.headers.location]).toEqual([301, '/docs/reference/'])
  const page = await app.inject('/docs/reference/')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('/openapi.json')
  expect(page.body).not.toMatch(/https?:\/\//)
  expect(page.body).toMatch(/"proxyUrl":\s*""/)
  expect(page.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'access-control-allow-origin': '*' })
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("frame-ancestors 'none'")
  const [, inline = ''] = /<script type="text\/javascript">([\s\S]+?)<\/script>/.exec(page.body) ?? []
  expect(inline).toContain('createApiReference')
  expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}';`)
  const script = await app.inject('/docs/reference/js/scalar.js')
  expect([script.statusCode, script.body.length > 1_000_000]).toEqual([200, true])
})

test('guides need no key, run no script, load nothing but their style and are shown in no frame', async () => {
  const [contents, guide] = await Promise.all(['/docs/', '/docs/sync'].map((path) => app.inject(path)))
  for (const page of [contents, guide]) {
    expect([page?.statusCode, page?.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page?.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(page?.headers['x-ratelimit-limit']).toBe('1200')
    expect(page?.body).not.toMatch(/<script|style="|onclick|<img/)
    expect(page?.body).toContain('<link rel="stylesheet" href="/docs/style.css">')
    expect(page?.body).toContain('<a href="/docs/reference/">')
  }
  expect(contents?.body).toContain('<a href="/docs/sync">Sync</a>')
  expect(guide?.body).toContain('<h1 id="sync">')
  expect(guide?.body).toContain('<a href="/docs/sync" aria-current="page">Sync</a>')
  const style = await app.inject('/docs/style.css')
  expect([style.statusCode, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  for (const path of ['/docs/nothing', '/docs/sync.md', '/docs/..%2Fpackage', '/docs/decisions'])
    expect((await app.inject(path)).statusCode).toBe(404)
})

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
  ['deflate', undefined, (bytes: Buffer) => bytes],
] as const)('a file is sent as Accept-Encoding %s allows', async (accepted, encoding, unfold) => {
  const get = (headers: Record<string, string>) => app.inject({ url: '/docs/reference/js/scalar.js', headers })
  const plain = await get({})
  const { headers, rawPayload } = await get({ 'accept-encoding': accepted })
  expect(headers['content-encoding']).toBe(encoding)
  expect(headers).toMatchObject({
    vary: 'Accept-Encoding',
    etag: plain.headers.etag,
    'cache-control': expect.stringMatching(/^public, max-age=\d+$/),
    'content-length': String(rawPayload.length),
  })
  expect(unfold(rawPayload).equals(plain.rawPayload)).toBe(true)
  if (encoding) expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
})

test('a version that the client has is not sent again', async () => {
  const { etag = '' } = (await app.inject('/openapi.json')).headers
  const again = (tag: string) => app.inject({ url: '/openapi.json', headers: { 'if-none-match': tag } })
  const known = await again(`"other", ${etag}`)
  expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', etag])
  expect((await again('"other"')).statusCode).toBe(200)
})

test('a public file is served without a key, one that is not there is 404', async () => {
  const icon = await app.inject('/icons/a.svg')
  expect([icon.statusCode, icon.headers['content-type'], icon.body]).toEqual([200, 'image/svg+xml', '<svg/>'])
  expect(icon.headers).toMatchObject({
    'x-of': 'icons',
    'x-content-type-options': 'nosniff',
    'x-ratelimit-limit': '1200',
  })
  const missing = await app.inject('/icons/b.svg')
  expect([missing.statusCode, missing.json()]).toEqual([404, { error: 'Not Found', message: 'No such file' }])
})

test('a guide that is not there is a page with the way to those that are', async () => {
  const { statusCode, headers, body } = await app.inject('/docs/nonsense')
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    ...[404, 'text/html; charset=utf-8', 'no-store'],
  ])
  expect(body).toContain('<a href="/docs/sync">')
})

test('public files are counted by address: the sixty-first call of a minute is 429, an icon still is not', async () => {
  const get = (url: string) => app.inject({ url, remoteAddress: '192.0.2.7' })
  for (let call = 1; call <= 60; call += 1) expect((await get('/openapi.json')).statusCode).toBe(200)
  const refused = await get('/docs/reference/js/scalar.js')
  expect([refused.statusCode, refused.json().error]).toEqual([429, 'Too Many Requests'])
  expect((await get('/icons/a.svg')).statusCode).toBe(200)
})

test('/docs can be left out', async () => {
  const { getCredits } = endpoints
  const without = await memoryApp({ endpoints: { getCredits }, handlers: { getCredits: () => 1 }, docs: false })
  for (const path of ['/', '/docs', '/docs/', '/docs/sync', '/docs/reference/', '/docs/reference/js/scalar.js'])
    expect((await without.app.inject(path)).statusCode).toBe(404)
  expect((await without.app.inject('/openapi.json')).statusCode).toBe(200)
})
