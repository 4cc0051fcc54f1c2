import { z } from 'zod'
import type { Endpoint, Requirement } from '../endpoint.ts'

/** What a user may do in an account, from least to most: look; look, export and label; everything. */
export const ROLES = ['viewer', 'accountant', 'owner'] as const
export type Role = (typeof ROLES)[number]
export const role = z.enum(ROLES)
export const rowId = z.string().regex(/^[1-9]\d{0,17}$/, 'must be an id')

/**
 * What an endpoint of the portal asks: nothing, a session, a role in the account of its path, or an operator. `access` is
 * what the account itself needs; with `proof` the user must have signed in or proved who it is in the last ten minutes.
 */
export type PortalRequirement = {
  readonly who: 'anyone' | 'user' | Role | 'operator'
  readonly access?: Requirement
  readonly proof?: true
  /**
   * The service has to know its own address, by configuration or as loopback: a caller that chose it could have a wallet sign a text
   * for another site.
   */
  readonly knownSite?: true
}

/** An endpoint behind the portal's door. */
export type PortalEndpoint = Endpoint<PortalRequirement, `/portal/api/${string}`>

/** What all endpoints of the portal's own have in common. Its door counts requests by user and account, whatever the bucket. */
export const own = { status: 200, cost: 0, bucket: 'default', errors: 'problem' } as const
