import { Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createKept } from '../lib/kept.ts'
import { errorBody } from './error-body.ts'
import { type ApiContext, admit } from './mount.ts'
import { createStaticFile, type PublicFile, type StaticFile } from './static-file.ts'

const KEPT = 500

const STRICT_TRANSPORT = 'max-age=31536000'

type Params = Readonly<Record<string, string>>

type FileRoute = {
  small?: boolean
  /** Closed to other origins, and to http after https. */
  sameOrigin?: boolean
} & (
  | {
      /** Cached by path for ever. */
      read(params: Params): PublicFile | undefined | Promise<PublicFile | undefined>
      /** Without it the answer is JSON. */
      missing?: () => Promise<PublicFile>
    }
  /** For files that change at runtime. */
  | { file(params: Params): Promise<StaticFile | undefined> }
)

export type PublicRoute = { path: `/${string}` } & ({ redirect: `/${string}` } | FileRoute)

async function pageOfMissing(route: FileRoute, reply: FastifyReply): Promise<StaticFile> {
  if (!('missing' in route && route.missing)) throw new Failure('NOT_FOUND', 'No such file')
  reply.code(404)
  return createStaticFile(await route.missing())
}

export function mountPublic(app: FastifyInstance, route: PublicRoute, { gates, origins, respond }: ApiContext): void {
  const kept = createKept<StaticFile | undefined>({ most: KEPT })

  async function find(route: FileRoute, { url, params }: FastifyRequest): Promise<StaticFile | undefined> {
    if ('file' in route) return route.file(params as Params)
    return kept.get(url.split('?', 1)[0] ?? '', async () => {
      const file = await route.read(params as Params)
      return file && createStaticFile(file)
    })
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isSmall = 'small' in route && route.small === true
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip, isSmall ? 'file' : 'call')))
    const refused = origins.refusal(request)
    if (refused) throw refused
    if ('redirect' in route) return respond.redirect(reply, route.redirect)
    if (route.sameOrigin && origins.of(request).startsWith('https:')) {
      reply.header('strict-transport-security', STRICT_TRANSPORT)
    }
    const file = await find(route, request)
    respond.file(reply, file ?? (await pageOfMissing(route, reply)))
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: route.path,
    handler: (request, reply) =>
      answer(request, reply).then(
        () => reply,
        (thrown: unknown) => {
          if (!(thrown instanceof Failure)) throw thrown
          respond.failure(reply, thrown, errorBody('titled', thrown))
          return reply
        },
      ),
  })
}
