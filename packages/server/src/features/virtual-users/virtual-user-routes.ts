import type { virtualUserEndpoints } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Handlers } from '../../http/mount.ts'
import type { VirtualPortfolioViews } from './virtual-portfolio-views.ts'
import { listVirtualUsers, requireOwn, virtualAddress } from './virtual-users.ts'

export function virtualUserRoutes({
  db,
  portfolios,
}: {
  db: Kysely<Tables>
  portfolios: VirtualPortfolioViews
}): Handlers<typeof virtualUserEndpoints> {
  return {
    async listVirtualUsers({ caller }) {
      const users = await listVirtualUsers(db, caller.accountId)
      return users.map(({ id, type, label }) => ({ address: virtualAddress(id), type, label }))
    },
    getVirtualUserPortfolio: {
      prepare: ({ query, caller }) => requireOwn(db, caller.accountId, query.addresses),
      handle: ({ query, origin }) => portfolios(query, origin),
    },
  }
}
