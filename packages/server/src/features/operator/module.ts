import { readFileSync } from 'node:fs'
import { Failure } from '@coffer/contract'
import type { ChainNodes } from '@coffer/contract/portal'
import pg from 'pg'
import type { Db } from '../../db/tables.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import { hostOf, type Secret } from '../../lib/secret.ts'
import type { SourceFacts } from '../../prices/source-module.ts'
import { findAccount, getAccount, insertAccount, listAccounts, updateAccount } from '../accounts/accounts.ts'
import { grantCredits } from '../credits/credits.ts'
import { findViolations } from '../credits/ledger.ts'
import { listFailingSyncs } from '../history/sync/sync-progress.ts'
import type { Module, Ports } from '../module.ts'
import { type Actor, actorOf, recordAction } from '../portal-users/audit.ts'

type Context = Ports & {
  config: {
    endpoints: ReadonlyMap<string, readonly Secret[]>
    prices: { sources: readonly string[]; settings: { has(variable: string): boolean } }
  }
  /** Settings by name; secrets are hidden. */
  effective: Readonly<Record<string, unknown>>
}

export function operatorModule(context: Context) {
  const { db } = context.database
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  return {
    portal: {
      listAccounts: ({ query }) => listAccounts(db, query),
      openAccount: ({ caller, body }) =>
        db.transaction().execute(async (trx) => {
          const account = await insertAccount(trx, body)
          const made = { action: 'created an account', accountId: account.id, detail: body }
          await recordAction(trx, actorOf(caller), made)
          return account
        }),
      changeAccount: ({ caller, params: { id }, body }) =>
        db.transaction().execute(async (trx) => {
          const detail = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
          const account = orNone(await updateAccount(trx, id, detail))
          await recordAction(trx, actorOf(caller), { action: 'changed an account', accountId: id, detail })
          return account
        }),
      grantCredits: ({ caller, params, body }) => grant(db, actorOf(caller), params.id, body).catch(explain),
      verifyCredits: async () => ({ violations: await findViolations(db) }),
      listNodes: () => viewNodes(context),
      listQueues: () => listQueueStates(db),
      listFailingSyncs: ({ query }) => listFailingSyncs(db, query),
      listPriceSources: () => context.chainTypes.priceSources.map((source) => shownSource(source, context)),
      getConfiguration: () => ({ version: String(version), node: process.version, settings: context.effective }),
    },
  } satisfies Module
}

function shownSource({ name, leavesNode, settings }: SourceFacts, { config: { prices } }: Context) {
  const place = prices.sources.indexOf(name)
  return {
    name,
    place: place === -1 ? null : place + 1,
    leavesNode,
    settings: settings.map(({ variable }) => ({ variable, isSet: prices.settings.has(variable) })),
  }
}

function viewNodes({ reading: { enabled, pools, nodes }, config: { endpoints } }: Context): ChainNodes[] {
  return enabled.map(({ key, name }) => {
    const pool = pools.get(key)
    const urls = endpoints.get(key) ?? []
    const age = pool?.headAge()
    return {
      chain: key,
      name,
      headAgeSeconds: age === undefined ? null : Math.max(0, Math.round(age)),
      endpoints: (pool?.endpoints() ?? []).map(({ endpoint, problem }, index) => {
        const { latencyMs, lastFailure, ...counts } = nodes.of(endpoint)
        const url = urls[index]
        return {
          endpoint,
          host: url ? hostOf(url) : '',
          problem: problem ?? null,
          ...counts,
          latencyMs: latencyMs === null ? null : Math.round(latencyMs),
          lastFailure: lastFailure && { reason: lastFailure.reason, at: new Date(lastFailure.at).toISOString() },
        }
      }),
    }
  })
}

/** Throws NOT_FOUND. */
function grant(db: Db, actor: Actor, id: string, credits: { amount: number; reference: string }) {
  return db.transaction().execute(async (trx) => {
    orNone(await findAccount(trx, id))
    const granted = await grantCredits(trx, { accountId: id, ...credits })
    if (granted) await recordAction(trx, actor, { action: 'gave credits', accountId: id, detail: credits })
    return { granted, account: await getAccount(trx, id) }
  })
}

const UNIQUE = '23505'
/** The balance would exceed what JSON numbers carry. */
const TOO_MUCH = '23514'

function explain(thrown: unknown): never {
  const code = thrown instanceof pg.DatabaseError ? thrown.code : undefined
  if (code === UNIQUE) throw new Failure('VALIDATION_ERROR', 'reference: was used with another amount')
  if (code === TOO_MUCH) throw new Failure('VALIDATION_ERROR', 'amount: is more than an account can have')
  throw thrown
}

function orNone<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('NOT_FOUND', 'There is no such account')
  return found
}
