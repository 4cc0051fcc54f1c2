import { z } from 'zod'
import type { Endpoint, Requirement } from '../endpoint.ts'

/** Ascending: read; read, export and label; everything. */
export const ROLES = ['viewer', 'accountant', 'owner'] as const
export type Role = (typeof ROLES)[number]
export const role = z.enum(ROLES)
export const rowId = z.string().regex(/^[1-9]\d{0,17}$/, 'must be an id')

/**
 * A role is in the account of the path. `access`: needed by the account itself. `proof`: the user signed in or proved
 * who it is in the last ten minutes.
 */
export type PortalRequirement = {
  readonly who: 'anyone' | 'user' | Role | 'operator'
  readonly access?: Requirement
  readonly proof?: true
  /**
   * The service must know its own address, by configuration or as loopback. A caller that chose it could have a wallet
   * sign a text for another site.
   */
  readonly knownSite?: true
}

export type PortalEndpoint = Endpoint<PortalRequirement, `/portal/api/${string}`>

/** The portal counts requests by user and account, not by bucket. */
export const own = { status: 200, cost: 0, bucket: 'default', errors: 'problem' } as const
