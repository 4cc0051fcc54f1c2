import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Gates } from './mount.ts'
import type { Responder } from './respond.ts'

/** Serves the readable reference at `/docs`: no key, nothing loaded from elsewhere, nothing reported to anyone. */
export async function addReference(
  app: FastifyInstance,
  { gates, respond }: { gates: Gates; respond: Responder },
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      respond.rate(reply, await gates.peekAnonymous(request.ip))
      respond.common(reply)
    })
    await scope.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Coffer API',
        withDefaultFonts: false,
        // A request tried from the page carries a key: it goes to this service and through nobody else's proxy.
        proxyUrl: '',
        customCss: 'a[href*="scalar.com"] { display: none }',
        telemetry: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        mcp: { disabled: true },
        agent: { disabled: true },
      },
    })
  })
}
