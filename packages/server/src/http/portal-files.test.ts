import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryApp } from '../../test/memory-app.ts'
import { portalRoutes } from './portal-files.ts'

const SCRIPT = `export const text = '${'a script of some length. '.repeat(1_000)}'`
const ASSETS = {
  'index-BkCTt77J.js': SCRIPT,
  'index-4-jA9vrI.css': 'h1 { color: teal }',
  'font-0a1B2c3D.woff2': 'wOF2',
  'notes-0a1B2c3D.exe': 'MZ',
  '.hidden.js': '',
}

let parent: string
let service: Awaited<ReturnType<typeof serve>>
let now: number

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'coffer-portal-'))
  now = 0
  service = await serve()
})
afterEach(() => rmSync(parent, { recursive: true }))

function serve(options: { publicUrl?: string } = {}) {
  return memoryApp({
    endpoints: {},
    handlers: {},
    publicRoutes: portalRoutes({ folder: pathToFileURL(`${parent}/dist/`), clock: { now: () => now } }),
    trustProxy: true,
    ...options,
  })
}

function build(heading: string): void {
  const next = join(parent, 'next')
  mkdirSync(join(next, 'assets', 'folder.js'), { recursive: true })
  writeFileSync(join(next, 'index.html'), `<h1>${heading}</h1>`)
  for (const [name, content] of Object.entries(ASSETS)) writeFileSync(join(next, 'assets', name), content)
  rmSync(join(parent, 'dist'), { recursive: true, force: true })
  renameSync(next, join(parent, 'dist'))
}

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })

const PROTECTION = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': expect.stringMatching(
    /^([a-z-]+=\(\), )+publickey-credentials-create=\(self\), publickey-credentials-get=\(self\)$/,
  ),
}

test.each(['/', '/sign-in', '/openid', '/link', '/me', '/a/1/keys', '/operator', '/operator/jobs?of=today'])(
  '%s is the page, asked for again by its tag, and read by no other origin',
  async (path) => {
    build('Coffer')
    const page = await get(path, { origin: 'https://elsewhere.example' })
    expect([page.statusCode, page.body]).toEqual([200, '<h1>Coffer</h1>'])
    expect(page.headers).toMatchObject({
      ...PROTECTION,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-ratelimit-limit': '1200',
    })
    expect(Object.keys(page.headers).filter((name) => /^access-control-|^vary$|^strict-/.test(name))).toEqual([])
    const again = await get(path, { 'if-none-match': String(page.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  },
)

test.each([
  ['index-BkCTt77J.js', 'text/javascript; charset=utf-8'],
  ['index-4-jA9vrI.css', 'text/css; charset=utf-8'],
  ['font-0a1B2c3D.woff2', 'font/woff2'],
] as const)('the asset %s is kept for ever and protected as the page is', async (name, contentType) => {
  build('Coffer')
  const file = await get(`/assets/${name}`)
  expect([file.statusCode, file.body]).toEqual([200, ASSETS[name]])
  expect(file.headers).toMatchObject({
    ...PROTECTION,
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-ratelimit-limit': '1200',
  })
  expect(file.headers).not.toHaveProperty('access-control-allow-origin')
})

test('an asset is sent compressed', async () => {
  build('Coffer')
  const file = await get('/assets/index-BkCTt77J.js', { 'accept-encoding': 'gzip, br' })
  expect(file.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' })
  expect(file.rawPayload.length).toBeLessThan(SCRIPT.length / 10)
  expect(brotliDecompressSync(file.rawPayload).toString()).toBe(SCRIPT)
})

test.each([
  ...['/assets/none-0a1B2c3D.js', '/assets/notes-0a1B2c3D.exe', '/assets/.hidden.js', '/assets/folder.js'],
  ...['/assets/folder.js/index.js', '/assets/..%2findex.html', '/assets/index.html%00.js', '/assets/'],
])('%s is no file', async (path) => {
  build('Coffer')
  const answer = await get(path, { origin: 'https://elsewhere.example' })
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([404, undefined])
})

test.each(['/a', '/index.html', '/.sources', '/sign-in/x', '/portal', '/operators'])('%s is no page', async (path) => {
  build('Coffer')
  expect((await get(path)).statusCode).toBe(404)
})

test('a page takes no other method', async () => {
  const answer = await service.app.inject({ method: 'POST', url: '/a/1', payload: {} })
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

test('a page says that it is being built, asks again, and then is there; another build takes its place', async () => {
  const page = await get('/link')
  expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('<h1>The portal is being built</h1>')])
  expect(page.headers).toMatchObject({ ...PROTECTION, 'cache-control': 'no-store' })
  const script = await get(/<script src="([^"]+)"/.exec(page.body)?.[1] ?? '')
  expect([script.statusCode, script.body]).toEqual([200, expect.stringContaining('location.reload()')])
  expect((await get('/assets/index-BkCTt77J.js')).statusCode).toBe(404)

  build('First')
  expect((await get('/link')).body).toBe('<h1>First</h1>')
  expect((await get('/assets/index-BkCTt77J.js')).statusCode).toBe(200)

  build('Second')
  expect((await get('/')).body).toBe('<h1>First</h1>')
  now += 1_000
  expect((await get('/')).body).toBe('<h1>Second</h1>')

  rmSync(join(parent, 'dist'), { recursive: true })
  now += 1_000
  expect((await get('/')).body).toBe('<h1>Second</h1>')
  expect((await get('/assets/index-BkCTt77J.js')).statusCode).toBe(200)
})

test.each([
  ['by a trusted proxy', {}, { 'x-forwarded-proto': 'https' }],
  ['by the configured URL', { publicUrl: 'https://coffer.example' }, {}],
])('a page reached by https %s is asked for by nothing else from then on', async (_, options, headers) => {
  build('Coffer')
  service = await serve(options)
  for (const path of ['/', '/assets/index-BkCTt77J.js']) {
    expect((await get(path, headers)).headers['strict-transport-security']).toBe('max-age=31536000')
  }
})
