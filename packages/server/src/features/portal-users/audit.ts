import type { Endpoint } from '@coffer/contract'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'

/** The command line acts as `coffer-admin`. */
export type Actor = { userId: string | null; userName: string; address: string }

/** `accountId`: null outside any account. `detail` names what changed, never a secret. */
type Action = { action: string; accountId: string | null; detail?: Readonly<Record<string, unknown>> }

export async function recordAction(db: Db, actor: Actor, { action, accountId, detail = {} }: Action) {
  const { userId, userName, address } = actor
  await db
    .insertInto('audit_event')
    .values({
      action,
      address,
      account_id: accountId === null ? null : BigInt(accountId),
      user_id: userId === null ? null : BigInt(userId),
      user_name: userName,
      detail: JSON.stringify(detail),
    })
    .execute()
}

export async function listActions(
  db: Db,
  { accountId, before, limit }: { accountId: string; before?: string | undefined; limit: number },
) {
  const lines = db
    .selectFrom('audit_event')
    .select(['id', 'at', 'user_name as user', 'action', 'address'])
    .select((expression) => expression.ref('detail').$castTo<Record<string, unknown>>().as('detail'))
    .where('account_id', '=', BigInt(accountId))
    .orderBy('id', 'desc')
    .limit(limit)
  return (before === undefined ? lines : lines.where('id', '<', BigInt(before))).execute()
}

export const actorOf = ({ session, from }: PortalCaller): Actor => ({
  userId: session?.userId ?? null,
  userName: session?.userName ?? '',
  address: from.address,
})

/** A change that the signed-in user made to itself. */
export const recordOwn = (db: Db, caller: PortalCaller, action: string, detail: Action['detail'] = {}) =>
  recordAction(db, actorOf(caller), { action, accountId: null, detail })

type Call = { caller: PortalCaller; params: object | undefined; body: object | undefined }
type Work = (call: Call) => unknown

/** Parsed parameters and body hold no secrets. */
export function recordWrites(
  db: Db,
  endpoints: Readonly<Record<string, Endpoint>>,
  handlers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const joined = Object.entries(endpoints).map(([name, endpoint]) => {
    const handler = handlers[name]
    return [name, endpoint.method === 'GET' ? handler : recorded(db, endpoint, handler as Work | object)]
  })
  return Object.fromEntries(joined)
}

function recorded(db: Db, { summary }: Endpoint, handler: Work | object): unknown {
  const action = summary.charAt(0).toLowerCase() + summary.slice(1)
  const recording = (work: Work) => async (call: Call) => {
    const answer = await work(call)
    const { caller, params, body } = call
    const detail = { ...params, ...body }
    await recordAction(db, actorOf(caller), { action, accountId: caller.accountId, detail })
    return answer
  }
  if (typeof handler === 'function') return recording(handler as Work)
  const steps = Object.entries(handler).map(([step, work]) => [step, step === 'prepare' ? work : recording(work)])
  return Object.fromEntries(steps)
}
