import { Failure } from '@coffer/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createKept } from '../lib/kept.ts'
import { errorBody } from './error-body.ts'
import type { Gates } from './gates.ts'
import { admit } from './mount.ts'
import type { Origins } from './origin.ts'
import type { Responder } from './respond.ts'
import { createStaticFile, type PublicFile, type StaticFile } from './static-file.ts'

/** Files cached per route, with their encodings. */
const KEPT = 500

type Read = (params: Readonly<Record<string, string>>) => PublicFile | undefined | Promise<PublicFile | undefined>

/** Something served to everyone without a key. */
export type PublicRoute = { path: `/${string}` } & (
  | { redirect: `/${string}` }
  | {
      /** Finds the file for the parts of the path, or there is none. */
      read: Read
      /** A page shows dozens of them: counted in a wider window. */
      small?: boolean
    }
)

/** Serves a public route: counted by the caller's address, and answered from the file's own bytes. */
export function mountPublic(
  app: FastifyInstance,
  route: PublicRoute,
  { gates, origins, respond }: { gates: Gates; origins: Origins; respond: Responder },
): void {
  const kept = createKept<StaticFile | undefined>({ most: KEPT })

  async function make(read: Read, params: unknown): Promise<StaticFile | undefined> {
    const file = await read(params as Record<string, string>)
    return file && createStaticFile(file)
  }

  /** The file of a path. Concurrent requests share one read; a missing file is not cached. */
  async function find(read: Read, { url, params }: FastifyRequest): Promise<StaticFile | undefined> {
    const path = url.split('?', 1)[0] ?? ''
    return kept.get(path, () => make(read, params))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isSmall = 'small' in route && route.small === true
    admit(respond.rate(reply, await gates.limitAnonymous(request.ip, isSmall ? 'file' : 'call')))
    const refused = origins.refusal(request)
    if (refused) throw refused
    if ('redirect' in route) return respond.redirect(reply, route.redirect)
    const file = await find(route.read, request)
    if (!file) throw new Failure('NOT_FOUND', 'No such file')
    respond.file(reply, file)
  }

  app.get(route.path, (request, reply) =>
    answer(request, reply).then(
      () => reply,
      (thrown: unknown) => {
        if (!(thrown instanceof Failure)) throw thrown
        respond.failure(reply, thrown, errorBody('titled', thrown))
        return reply
      },
    ),
  )
}
