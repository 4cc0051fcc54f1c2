import { readFileSync } from 'node:fs'
import { Failure } from '@coffer/contract'
import type { ChainNodes, FailingSync } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import pg from 'pg'
import type { Chain } from '../../chains/chain.ts'
import type { NodeHealth } from '../../chains/rpc/node-health.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Tables } from '../../db/tables.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import { hostOf, type Secret } from '../../lib/secret.ts'
import type { SourceFacts } from '../../prices/source-module.ts'
import {
  type Account,
  type AccountChanges,
  findAccount,
  getAccount,
  insertAccount,
  listAccounts,
  type NewAccount,
  updateAccount,
} from '../accounts/accounts.ts'
import { grantCredits } from '../credits/credits.ts'
import { findViolations } from '../credits/ledger.ts'
import { listSyncs } from '../history/sync/sync-progress.ts'
import type { Module, Ports } from '../module.ts'
import { type Actor, actorOf, recordAction } from '../portal-users/audit.ts'

export function operatorModule({
  config,
  database: { db },
  chainTypes,
  reading: { enabled, pools, nodes },
  effective,
}: Pick<Ports, 'database' | 'chainTypes' | 'reading'> & {
  config: {
    endpoints: ReadonlyMap<string, readonly Secret[]>
    prices: { sources: readonly string[]; settings: { has(variable: string): boolean } }
  }
  /** Settings by name; secrets are hidden. */
  effective: Readonly<Record<string, unknown>>
}) {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  return {
    portal: {
      listAccounts: () => listAccounts(db),
      openAccount: ({ caller, body }) => openAccount(db, actorOf(caller), body),
      changeAccount: ({ caller, params, body }) => changeAccount(db, actorOf(caller), params.id, given(body)),
      grantCredits: ({ caller, params, body }) => grant(db, actorOf(caller), params.id, body),
      verifyCredits: async () => ({ violations: await findViolations(db) }),
      listNodes: () => viewNodes({ enabled, pools, endpoints: config.endpoints, nodes }),
      listQueues: () => listQueueStates(db),
      listFailingSyncs: async () => failing(await listSyncs(db)),
      listPriceSources: () => chainTypes.priceSources.map((source) => shownSource(source, config.prices)),
      getConfiguration: () => ({ version: String(version), node: process.version, settings: effective }),
    },
  } satisfies Module
}

function shownSource(
  { name, leavesNode, settings }: SourceFacts,
  { sources, settings: values }: { sources: readonly string[]; settings: { has(variable: string): boolean } },
) {
  const place = sources.indexOf(name)
  return {
    name,
    place: place === -1 ? null : place + 1,
    leavesNode,
    settings: settings.map(({ variable }) => ({ variable, isSet: values.has(variable) })),
  }
}

function viewNodes({
  enabled,
  pools,
  endpoints,
  nodes,
}: {
  enabled: readonly Chain[]
  pools: ReadonlyMap<string, Pick<RpcPool, 'endpoints' | 'headAge'>>
  endpoints: ReadonlyMap<string, readonly Secret[]>
  nodes: { of(endpoint: string): NodeHealth }
}): ChainNodes[] {
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

const isDefined = ([, value]: [string, unknown]) => value !== undefined

const given = (body: object): AccountChanges => Object.fromEntries(Object.entries(body).filter(isDefined))

function failing(syncs: Awaited<ReturnType<typeof listSyncs>>): FailingSync[] {
  return syncs
    .filter(({ state, setAside }) => state === 'failed' || state === 'paused' || setAside.length > 0)
    .map(({ wallet, account, state, reason, requestedAt, setAside }) => ({
      wallet,
      account,
      state,
      reason,
      requestedAt,
      setAside,
    }))
}

function openAccount(db: Kysely<Tables>, actor: Actor, account: NewAccount): Promise<Account> {
  return db.transaction().execute(async (trx) => {
    const made = await insertAccount(trx, account)
    await recordAction(trx, actor, { action: 'created an account', accountId: made.id, detail: account })
    return made
  })
}

/** Throws NOT_FOUND. */
function changeAccount(db: Kysely<Tables>, actor: Actor, id: string, changes: AccountChanges): Promise<Account> {
  return db.transaction().execute(async (trx) => {
    const account = orNone(await updateAccount(trx, id, changes))
    await recordAction(trx, actor, { action: 'changed an account', accountId: id, detail: changes })
    return account
  })
}

/** Throws NOT_FOUND. */
function grant(db: Kysely<Tables>, actor: Actor, id: string, credits: { amount: number; reference: string }) {
  return db
    .transaction()
    .execute(async (trx) => {
      orNone(await findAccount(trx, id))
      const granted = await grantCredits(trx, { accountId: id, ...credits })
      if (granted) await recordAction(trx, actor, { action: 'gave credits', accountId: id, detail: credits })
      return { granted, account: await getAccount(trx, id) }
    })
    .catch(explain)
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
