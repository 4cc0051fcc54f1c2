import type { virtualUserEndpoints } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Handlers } from '../../http/mount.ts'
import { listVirtualUsers, virtualAddress } from './virtual-users.ts'

export function virtualUserRoutes({ db }: { db: Kysely<Tables> }): Handlers<typeof virtualUserEndpoints> {
  return {
    async listVirtualUsers({ caller }) {
      const users = await listVirtualUsers(db, caller.accountId)
      return users.map(({ id, type, label }) => ({ address: virtualAddress(id), type, label }))
    },
  }
}
