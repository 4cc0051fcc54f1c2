import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import type { Opening } from './challenges.ts'
import { addPasskey, listPasskeys, optionsToCreate, removePasskey } from './passkeys.ts'
import type { Passwords } from './passwords.ts'
import { endOtherSessions, endSession, type From, listSessions } from './sessions.ts'
import type { TakeWay } from './sign-in-ways.ts'
import { setPasswordHash } from './users.ts'

type Site = { origin: string }

export function ownPasskeys({ db, takeWay }: { db: Kysely<Tables>; takeWay: TakeWay }) {
  return {
    list: (userId: string) => listPasskeys(db, userId),
    async begin({ userId, userName }: PortalSession, site: Opening) {
      const known = (await listPasskeys(db, userId)).map(({ id }) => id)
      return optionsToCreate(db, site, { purpose: 'passkey', subject: userId, userName, known })
    },
    add: (
      { userId, userName }: PortalSession,
      { name, response }: { name: string; response: unknown },
      { origin, address }: Site & From,
    ) =>
      db.transaction().execute(async (trx) => {
        const id = await addPasskey(trx, { origin }, { purpose: 'passkey', subject: userId, userId, name, response })
        const action = { action: 'added a passkey', accountId: null, detail: { name } }
        await recordAction(trx, { userId, userName, address }, action)
        return id
      }),
    remove: ({ userId, userName }: PortalSession, id: string, { address }: From) =>
      db.transaction().execute((trx) =>
        takeWay(trx, userId, async () => {
          if (!(await removePasskey(trx, { userId, id }))) return false
          await recordAction(trx, { userId, userName, address }, { action: 'removed a passkey', accountId: null })
          return true
        }),
      ),
  }
}

export function ownSessions({ db, passwords }: { db: Kysely<Tables>; passwords: Passwords }) {
  return {
    list: (userId: string) => listSessions(db, userId),
    end: (of: { userId: string; id: string }) => endSession(db, of),
    async setPassword({ userId, userName, id }: PortalSession, password: string, { address }: From): Promise<void> {
      const encoded = await passwords.hash(password)
      await db.transaction().execute(async (trx) => {
        await setPasswordHash(trx, userId, encoded)
        await endOtherSessions(trx, userId, id)
        await recordAction(trx, { userId, userName, address }, { action: 'set a password', accountId: null })
      })
    },
  }
}
