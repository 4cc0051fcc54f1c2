import { type Method, type RequestParts, request } from './request.ts'
import type { OwnAnswer, OwnBody, OwnPath } from './types.ts'

/** Calls a portal endpoint; `path` is below `/portal/api`. */
export async function ask<M extends Method, P extends OwnPath<M>>(
  method: M,
  path: P,
  parts: Omit<RequestParts, 'body'> & { body?: OwnBody<M, P> } = {},
): Promise<OwnAnswer<M, P>> {
  return (await request(method, path, parts)) as OwnAnswer<M, P>
}
