import type { Endpoint } from '../endpoint.ts'
import type { PortalEndpoint, Role } from './requirement.ts'

/** Writes that a role below `owner` may make. */
const WRITES_OF: Readonly<Record<string, Role>> = { relabelAddress: 'accountant' }

/** They decide where the data of an account are sent: a stolen session must not do so. */
const PROVED: ReadonlySet<string> = new Set(['createWebhook', 'updateWebhook', 'removeWebhook', 'rotateWebhookSecret'])

/**
 * The endpoints of the service behind the portal's door, under the account whose data they are of. A look at saved wallets
 * is free there; anything else costs what it costs with a key.
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
