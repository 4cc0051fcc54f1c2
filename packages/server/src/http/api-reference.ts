import { createHash } from 'node:crypto'
import fastify from 'fastify'
import type { PublicRoute } from './public-files.ts'

const CACHED = { 'cache-control': 'public, max-age=3600' }

const PREFIX = '/docs/reference'

export function referenceRoutes(): PublicRoute[] {
  let rendered: Promise<{ page: string; script: Buffer }> | undefined
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

/** Four megabytes. Keeps bytes: every connection would copy the plugin's string. */
async function renderReference() {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const app = fastify({ logger: false })
  await app.register(apiReference, {
    routePrefix: PREFIX,
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Coffer API',
      withDefaultFonts: false,
      // Requests from the page carry a key: no third party may proxy them.
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

/** Allows only the page's own scripts and this service; no framing. */
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
