import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import type { PublicRoute } from './public-files.ts'
import { createStaticFile, type StaticFile } from './static-file.ts'

const BUILD = new URL('../../../portal/dist/', import.meta.url)

const PAGES = ['/', '/sign-in', '/openid', '/link', '/me', '/a/*', '/operator', '/operator/*'] as const

const FRESH_MS = 1_000
const KEPT = 500

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.js': SCRIPT,
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

const ASSET_NAME = /^[\w-][\w.-]*\.\w+$/
/** The build names an asset by a hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // No script may create a policy that allows markup.
  "trusted-types 'none'",
].join('; ')

const UNUSED_FEATURES = [
  'accelerometer autoplay camera display-capture encrypted-media fullscreen geolocation gyroscope magnetometer',
  'microphone midi payment picture-in-picture screen-wake-lock serial usb xr-spatial-tracking',
].flatMap((features) => features.split(' '))

const PROTECTION = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': [
    ...UNUSED_FEATURES.map((feature) => `${feature}=()`),
    'publickey-credentials-create=(self)',
    'publickey-credentials-get=(self)',
  ].join(', '),
}

const BEING_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Coffer</title>
<script src="/assets/being-built.js" async></script>
<main>
<h1>The portal is being built</h1>
<p>It takes some seconds after an installation or an upgrade, and this page then turns into it. The API is there already.</p>
<p>If this page stays, what the service printed says why.</p>
</main>
</html>
`
/** Browsers ignore `Refresh` if the address has a fragment. */
const ASK_AGAIN = 'setTimeout(() => location.reload(), 1000)\n'

export function portalRoutes({ folder = BUILD, clock = systemClock }: { folder?: URL; clock?: Clock } = {}) {
  const kept = createKept<StaticFile | undefined>({
    most: KEPT,
    clock,
    freshMs: (file) => (file?.headers['cache-control'] === FOR_EVER ? Number.POSITIVE_INFINITY : FRESH_MS),
  })
  const find = (path: string, cacheControl: string) =>
    kept.get(path, async (before) => (await load(new URL(path, folder), cacheControl)) ?? before)
  const headers = { ...PROTECTION, 'cache-control': 'no-store' }
  const beingBuilt = createStaticFile({ contentType: HTML, body: BEING_BUILT, headers })
  const askingAgain = createStaticFile({ contentType: SCRIPT, body: ASK_AGAIN, headers })
  const page = async () => (await find('index.html', 'no-cache')) ?? beingBuilt
  const asset = async ({ '*': name = '' }) => (ASSET_NAME.test(name) ? find(`assets/${name}`, FOR_EVER) : undefined)
  const routes: PublicRoute[] = [
    ...PAGES.map((path) => ({ path, file: page, small: true, sameOrigin: true }) as const),
    { path: '/assets/being-built.js', file: () => askingAgain, small: true, sameOrigin: true },
    { path: '/assets/*', file: asset, small: true, sameOrigin: true },
  ]
  return routes
}

async function load(file: URL, cacheControl: string): Promise<StaticFile | undefined> {
  const contentType = CONTENT_TYPES[extname(file.pathname)]
  if (contentType === undefined) return undefined
  try {
    const body = await readFile(file)
    return await createStaticFile({ contentType, body, headers: { ...PROTECTION, 'cache-control': cacheControl } })
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return undefined
    throw error
  }
}
