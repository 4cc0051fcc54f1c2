import type { Endpoint } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { actorOf, recordAction } from './audit.ts'

type Call = { caller: PortalCaller; params: object | undefined; body: object | undefined }
type Work = (call: Call) => unknown

/**
 * Records completed changes in the audit log, with parsed parameters and body. These endpoints take no secrets in their
 * body.
 */
export function recordWrites(
  db: Kysely<Tables>,
  endpoints: Readonly<Record<string, Endpoint>>,
  handlers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const joined = Object.entries(endpoints).map(([name, endpoint]) => {
    const handler = handlers[name]
    return [name, endpoint.method === 'GET' ? handler : recorded(db, endpoint, handler as Work | object)]
  })
  return Object.fromEntries(joined)
}

function recorded(db: Kysely<Tables>, { summary }: Endpoint, handler: Work | object): unknown {
  const action = summary.charAt(0).toLowerCase() + summary.slice(1)
  const recording = (work: Work) => async (call: Call) => {
    const answer = await work(call)
    const { caller, params, body } = call
    const { accountId } = caller
    await recordAction(db, actorOf(caller), { action, accountId, detail: { ...params, ...body } })
    return answer
  }
  if (typeof handler === 'function') return recording(handler as Work)
  const steps = Object.entries(handler).map(([step, work]) => [step, step === 'prepare' ? work : recording(work)])
  return Object.fromEntries(steps)
}
