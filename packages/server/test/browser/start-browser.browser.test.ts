import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp, type Service } from '../../src/http/app.ts'
import { portalRoutes } from '../../src/http/portal-files.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { createMemoryGates } from '../memory-gates.ts'
import { deepTest, sized } from '../sized.ts'
import { startBrowser } from './start-browser.ts'

// Tests the requirements for pages on a small page, with one fault at a time.

const SCRIPT = `
const main = document.createElement('main')
const heading = document.createElement('h1')
heading.textContent = 'Coffer'
main.append(heading)
document.body.append(main)
`
const NONE = { violations: [], consoleErrors: [], pageErrors: [], foreignRequests: [] }

const browser = startBrowser()
let parent: string
let service: Service
let baseUrl: string
let elsewhere: string

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'coffer-page-'))
  service = await createApp({
    endpoints: {},
    handlers: {},
    gates: createMemoryGates().gates,
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    publicRoutes: portalRoutes({ folder: pathToFileURL(`${parent}/dist/`) }),
  })
  const { port } = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }))
  baseUrl = `http://localhost:${port}`
  elsewhere = `http://127.0.0.1:${port}`
})
afterEach(async () => {
  await service.app.close()
  rmSync(parent, { recursive: true })
})

function build({ body = '' } = {}): void {
  const next = join(parent, 'next')
  mkdirSync(join(next, 'assets'), { recursive: true })
  writeFileSync(join(next, 'assets', 'main-0a1B2c3D.js'), SCRIPT)
  const script = '<script type="module" src="/assets/main-0a1B2c3D.js"></script>'
  const head = `<meta charset="utf-8"><title>Coffer</title><link rel="icon" href="data:,">${script}`
  writeFileSync(
    join(next, 'index.html'),
    `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`,
  )
  renameSync(next, join(parent, 'dist'))
}

async function open(path = '/') {
  const opened = await browser.newPage({ baseUrl })
  await opened.page.goto(path)
  await opened.page.getByRole('heading', { name: 'Coffer' }).waitFor()
  return opened
}

test('a page without a fault is clean', async () => {
  build()
  const { clean, faults, axe } = await open('/a/1/keys')
  await clean()
  expect([await faults(), await axe()]).toEqual([NONE, []])
  await clean()
})

test('an error on the console is seen, unless it is expected; one that is expected must come', async () => {
  build()
  const { page, faults, clean } = await open()
  await page.evaluate(`console.error('planted')`)
  expect(await faults()).toEqual({ ...NONE, consoleErrors: [expect.stringMatching(/^planted /)] })
  await expect(clean()).rejects.toThrow('planted')
  await clean({ expected: [/^planted /] })
  await expect(clean({ expected: [/^planted /, /^other /] })).rejects.toThrow('other')
})

test('an exception that nothing caught is seen', async () => {
  build()
  const { page, faults, clean } = await open()
  await page.evaluate(`void setTimeout(() => { throw new Error('planted') })`)
  expect(await faults()).toEqual({ ...NONE, pageErrors: ['planted'] })
  await expect(clean()).rejects.toThrow('planted')
})

const PLANTED: readonly [string, { body?: string }, string, string][] = [
  ['a script within the page', { body: '<script>document.title = "planted"</script>' }, '', 'script-src-elem inline'],
  ['a style within the page', { body: '<p style="color: red">planted</p>' }, '', 'style-src-attr inline'],
  [
    'text taken for HTML',
    {},
    `try { document.body.innerHTML = '<b>planted</b>' } catch {}`,
    'require-trusted-types-for',
  ],
  [
    'a policy of trusted types',
    {},
    `try { trustedTypes.createPolicy('default', { createHTML: (text) => text }) } catch {}`,
    'trusted-types',
  ],
  [
    'an image of another host',
    {},
    `void (new Image().src = 'https://elsewhere.example/')`,
    'img-src https://elsewhere',
  ],
]
/** One from the start, and one that appears later. */
const SOME = PLANTED.filter((_, at) => at === 0 || at === 3)

test.each(sized({ small: SOME, deep: PLANTED }))(
  '%s is refused by the policy, which is seen',
  async (_, page, planted, violation) => {
    build(page)
    const opened = await open()
    await opened.page.evaluate(planted)
    expect((await opened.faults()).violations).toEqual([expect.stringContaining(violation)])
    await expect(opened.clean()).rejects.toThrow(violation)
  },
)

test('a request to another host is seen', async () => {
  build()
  const { page, faults, clean } = await open()
  await page.goto(`${elsewhere}/sign-in`)
  expect((await faults()).foreignRequests).toContain(`${elsewhere}/sign-in`)
  await expect(clean()).rejects.toThrow('/sign-in')
})

test('a broken rule of accessibility is seen, and looking for it breaks no policy', async () => {
  build()
  const { page, axe, barriers, clean } = await open()
  await page.evaluate(`document.querySelector('main').append(document.createElement('button'))`)
  expect(await axe()).toEqual([{ rule: 'button-name', impact: 'critical', elements: ['<button></button>'] }])
  expect(await barriers()).toHaveLength(1)
  await clean()
})

test('a page is shown in the size, theme and language asked for', async () => {
  build()
  const options = { viewport: { width: 320, height: 640 }, theme: 'dark', locale: 'de-DE' } as const
  const { page } = await browser.newPage({ baseUrl, ...options })
  await page.goto('/')
  const shown = `[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language]`
  expect(await page.evaluate(shown)).toEqual([320, true, 'de-DE'])
})

// In `npm test`, portal-setup makes a passkey.
deepTest('an authenticator makes passkeys, for a user who proves to be the right one', async () => {
  build()
  const { page, addAuthenticator, clean } = await open()
  const { credentialIds, setVerified, remove } = await addAuthenticator()
  const create = `navigator.credentials.create({ publicKey: {
    challenge: new Uint8Array(32), rp: { id: 'localhost', name: 'Coffer' },
    user: { id: new Uint8Array(16), name: 'owner', displayName: 'owner' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }], timeout: 2_000,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  } }).then(({ type }) => type, ({ name }) => name)`
  expect(await page.evaluate(create)).toBe('public-key')
  expect(await credentialIds()).toHaveLength(1)
  await setVerified(false)
  expect(await page.evaluate(create)).toBe('NotAllowedError')
  expect(await credentialIds()).toHaveLength(1)
  await remove()
  await clean()
})

test('a page that is being built turns into the portal and keeps what its address says', async () => {
  const { page, barriers, clean } = await browser.newPage({ baseUrl })
  // The page does not load again during the check.
  const script = '**/assets/being-built.js'
  await page.route(script, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await page.goto('/link#token')
  await page.getByRole('heading', { name: 'The portal is being built' }).waitFor()
  expect(await barriers()).toEqual([])
  await page.unroute(script)
  await page.reload()
  await page.getByRole('heading', { name: 'The portal is being built' }).waitFor()
  build()
  await page.getByRole('heading', { name: 'Coffer' }).waitFor()
  expect(page.url()).toBe(`${baseUrl}/link#token`)
  await clean({ expected: [] })
})
