import type { Endpoint } from '../endpoint.ts'
import type { PortalEndpoint, Role } from './requirement.ts'

const WRITES_OF: Readonly<Record<string, Role>> = { relabelAddress: 'accountant' }

/** These decide where an account's data are sent: a stolen session must not change that. */
const PROVED: ReadonlySet<string> = new Set(['createWebhook', 'updateWebhook', 'removeWebhook', 'rotateWebhookSecret'])

/**
 * Endpoints of the service, under the account that owns the data. Reads of saved wallets are free; everything else
 * costs the same as with a key.
 */
export type OfAccount<T extends Readonly<Record<string, Endpoint>>> = {
  readonly [K in keyof T]: Omit<T[K], 'path' | 'requires' | 'errors' | 'cost'> & PortalEndpoint
}

export function ofAccount<T extends Readonly<Record<string, Endpoint>>>(endpoints: T): OfAccount<T> {
  const moved = Object.entries(endpoints).map(([name, endpoint]): [string, PortalEndpoint] => {
    const looks = endpoint.method === 'GET'
    return [
      name,
      {
        ...endpoint,
        path: `/portal/api/accounts/:account${endpoint.path}`,
        cost: looks ? 0 : endpoint.cost,
        ...(looks && endpoint.cost !== 0 && { keyCost: endpoint.cost }),
        requires: {
          who: looks ? 'viewer' : (WRITES_OF[name] ?? 'owner'),
          access: endpoint.requires,
          ...(PROVED.has(name) && { proof: true }),
        },
        errors: 'problem',
      },
    ]
  })
  return Object.fromEntries(moved) as OfAccount<T>
}
