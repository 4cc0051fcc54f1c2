import { Failure } from '@coffer/contract'
import type { Module, Ports } from '../module.ts'
import { actorOf, recordAction } from '../portal-users/audit.ts'
import { type ApiKey, createKey, listKeys, renameKey, revokeKey, rotateKey } from './keys.ts'
import type { Peppers } from './peppers.ts'

type OwnPorts = Ports & { peppers: Peppers; refuseKey(keyId: string): void }

export function keyModule({ database: { db }, peppers, refuseKey }: OwnPorts) {
  return {
    portal: {
      listKeys: async ({ caller }) => (await listKeys(db, caller.accountId)).map(shown),
      createKey: ({ caller, body }) =>
        db.transaction().execute(async (trx) => {
          const { accountId } = caller
          const { id, name, key } = await createKey(trx, peppers, { accountId, name: body.name })
          await recordAction(trx, actorOf(caller), { action: 'created a key', accountId, detail: { id, name } })
          return { id, name, key }
        }),
      renameKey: ({ caller, params, body }) =>
        db.transaction().execute(async (trx) => {
          const { accountId } = caller
          const renamed = orNone(await renameKey(trx, { accountId, ...params }, body.name))
          await recordAction(trx, actorOf(caller), {
            action: 'renamed a key',
            accountId,
            detail: { ...params, ...body },
          })
          return shown(renamed)
        }),
      rotateKey: ({ caller, params, body }) =>
        db.transaction().execute(async (trx) => {
          const { accountId } = caller
          const { id, name, key } = orNone(await rotateKey(trx, peppers, { accountId, ...params, ...body }))
          const detail = { ...params, newId: id, ...body }
          await recordAction(trx, actorOf(caller), { action: 'rotated a key', accountId, detail })
          return { id, name, key }
        }),
      revokeKey: async ({ caller, params }) => {
        const revoked = await db.transaction().execute(async (trx) => {
          const { accountId } = caller
          const found = orNone(await revokeKey(trx, params.id, accountId))
          await recordAction(trx, actorOf(caller), { action: 'revoked a key', accountId, detail: params })
          return found
        })
        refuseKey(params.id)
        return shown(revoked)
      },
    },
  } satisfies Module
}

const shown = ({ accountId: _, ...key }: ApiKey) => key

function orNone<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('NOT_FOUND', 'There is no such key')
  return found
}
