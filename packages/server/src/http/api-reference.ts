import { createHash } from 'node:crypto'
import fastify from 'fastify'
import type { PublicRoute } from './public-files.ts'

/** The page as the reference's own plugin renders it, and its script. */
type Reference = { page: string; script: Buffer }

/** Both change with a version of the service alone, and are asked for again by their tag. */
const CACHED = { 'cache-control': 'public, max-age=3600' }

const PREFIX = '/docs/reference'

/** The readable reference: no key, nothing loaded from elsewhere, nothing reported to anyone. */
export function referenceRoutes(): PublicRoute[] {
  let rendered: Promise<Reference> | undefined
  const reference = () => {
    rendered ??= renderReference()
    return rendered
  }
  return [
    { path: PREFIX, redirect: `${PREFIX}/` },
    {
      path: `${PREFIX}/`,
      async read() {
        const { page } = await reference()
        const headers = { ...CACHED, 'content-security-policy': policyFor(page), 'referrer-policy': 'no-referrer' }
        return { contentType: 'text/html; charset=utf-8', body: page, headers }
      },
    },
    {
      path: `${PREFIX}/js/scalar.js`,
      async read() {
        const { script } = await reference()
        return { contentType: 'application/javascript; charset=utf-8', body: script, headers: CACHED }
      },
    },
  ]
}

/**
 * Four megabytes that few installations are ever asked for: loaded at the first request. The plugin sends its script as
 * a string, which every connection would copy; it is rendered once, and its answers are kept.
 */
async function renderReference(): Promise<Reference> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const app = fastify({ logger: false })
  await app.register(apiReference, {
    routePrefix: PREFIX,
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Coffer API',
      withDefaultFonts: false,
      // Requests from the page carry a key: they must not pass through a proxy of a third party.
      proxyUrl: '',
      customCss: 'a[href*="scalar.com"] { display: none }',
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  })
  const [page, script] = await Promise.all([app.inject(`${PREFIX}/`), app.inject(`${PREFIX}/js/scalar.js`)])
  await app.close()
  return { page: page.body, script: script.rawPayload }
}

/** Lets the page run only its own scripts and talk only to this service, and forbids framing. */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, source]) =>
    source ? [`'sha256-${createHash('sha256').update(source).digest('base64')}'`] : [],
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
