import { Failure } from '@coffer/contract'
import type { BalancesView, GivenBalance, portalVirtualUserEndpoints, VirtualUserView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { decimal, formatDecimal, ZERO } from '../../domain/decimal.ts'
import type { ExchangeCredentials } from '../../exchanges/exchange.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { actorOf, recordAction } from '../portal-users/audit.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import {
  type AssetFacts,
  type AssetProblem,
  type BalanceAsset,
  checkAsset,
  currentBalances,
  type PricingSettings,
  recordBalance,
  whyUnpriced,
} from './balances.ts'
import type { VirtualUsers } from './context.ts'
import { credentialsOf, findLink, linkExchange, unlinkExchange, unreportedRights } from './exchange-links.ts'
import {
  createVirtualUser,
  findVirtualUser,
  listVirtualUsers,
  removeVirtualUser,
  renameVirtualUser,
  type VirtualUser,
  virtualAddress,
} from './virtual-users.ts'

type Context = VirtualUsers & { vault: SecretVault; assets: AssetFacts; config: PricingSettings }
type Call = { caller: PortalCaller; params: { id: string } }

export function portalVirtualUserRoutes(context: Context): Handlers<typeof portalVirtualUserEndpoints, PortalCaller> {
  const { db } = context
  return {
    describeVirtualUsers: async ({ caller }) =>
      Promise.all((await listVirtualUsers(db, caller.accountId)).map((user) => viewOf(db, user))),
    createVirtualUser: ({ caller, body }) =>
      db.transaction().execute(async (trx) => {
        const { accountId } = caller
        const user = await createVirtualUser(trx, { accountId, ...body })
        const detail = { id: user.id, ...body }
        await recordAction(trx, actorOf(caller), { action: 'created a virtual user', accountId, detail })
        return viewOf(trx, user)
      }),
    renameVirtualUser: (call) =>
      change(db, call, 'renamed a virtual user', async (trx, user) => {
        const { label } = call.body
        const renamed = (await renameVirtualUser(trx, user.id, label)) ?? user
        return { value: await viewOf(trx, renamed), detail: { to: label } }
      }),
    removeVirtualUser: (call) =>
      change(db, call, 'removed a virtual user', async (trx, user) => {
        const value = await viewOf(trx, user)
        await removeVirtualUser(trx, user.id)
        return { value }
      }),
    getBalances: async (call) => {
      await getOwn(db, call)
      return viewBalances(context, call.params.id)
    },
    replaceBalances: (call) => replaceBalances(context, call, call.body.balances),
    listExchanges: () => context.exchanges.list(),
    linkExchange: (call) => linkOwn(context, call, call.body.exchange, credentialsOf(call.body.credentials)),
    unlinkExchange: (call) =>
      change(db, call, 'unlinked an exchange', async (trx, user) => {
        const { exchange } = await viewOf(trx, user)
        if (!(await unlinkExchange(trx, user.id))) throw refused('This virtual user is not linked to an exchange')
        return { value: await viewOf(trx, user), detail: { exchange } }
      }),
  }
}

async function replaceBalances(context: Context, call: Call, given: readonly GivenBalance[]): Promise<BalancesView> {
  const wanted = readGiven(given, context.assets)
  await change(context.db, call, 'set balances of a virtual user', async (trx, user) => {
    if (user.type !== 'BALANCE') throw refused('This virtual user is an exchange account')
    return { value: undefined, detail: { changes: await replace(trx, user.id, wanted) } }
  })
  // Reads rates from chains: not while the account is locked.
  return viewBalances(context, call.params.id)
}

async function linkOwn(context: Context, call: Call, key: string, credentials: ExchangeCredentials) {
  const { db, vault, exchanges } = context
  const { id, accountId } = await getOwn(db, call)
  const exchange = await exchanges.find(key)
  if (!exchange) throw refused(`The exchange ${key} is not supported`)
  const action = { action: 'linked an exchange', accountId, detail: { id, exchange: exchange.key } }
  const record = (trx: Trx) => recordAction(trx, actorOf(call.caller), action)
  const outcome = await linkExchange({ db, vault, record }, id, exchange, credentials).catch(explain)
  if ('refusal' in outcome) throw refused(outcome.refusal)
  const { permissions } = outcome
  const warning = unreportedRights(exchange, permissions) ?? null
  return { exchange: exchange.key, name: exchange.name, permissions, warning }
}

function change<T>(
  db: Db,
  call: Call,
  action: string,
  work: (trx: Trx, user: VirtualUser) => Promise<{ value: T; detail?: object }>,
): Promise<T> {
  const { accountId } = call.caller
  return withAccountLock(db, accountId, async (trx) => {
    const user = await getOwn(trx, call)
    const { value, detail } = await work(trx, user)
    const named = { id: user.id, label: user.label, ...detail }
    await recordAction(trx, actorOf(call.caller), { action, accountId, detail: named })
    return value
  })
}

const refused = (message: string) => new Failure('VALIDATION_ERROR', message)

async function getOwn(db: Db, { caller, params }: Call): Promise<VirtualUser> {
  const user = await findVirtualUser(db, params.id)
  if (user?.accountId !== caller.accountId) throw new Failure('NOT_FOUND', 'There is no such virtual user')
  return user
}

async function viewOf(db: Db, { accountId: _, ...user }: VirtualUser): Promise<VirtualUserView> {
  const link = user.type === 'CEX' ? await findLink(db, user.id) : undefined
  return { ...user, address: virtualAddress(user.id), exchange: link?.exchange ?? null }
}

async function viewBalances({ db, config, rates }: Context, id: string): Promise<BalancesView> {
  const held = (await currentBalances(db, id)).filter(({ amount }) => amount.gt(ZERO))
  const warnings = await Promise.all(held.map(({ asset }) => whyUnpriced(asset, config, rates)))
  return {
    balances: held.map(({ asset, amount }) => ({ ...asset, amount: formatDecimal(amount) })),
    warnings: [...new Set(warnings.filter((warning) => warning !== undefined))],
  }
}

type Wanted = Map<string, { asset: BalanceAsset; amount: string }>

const subjectOf = (asset: BalanceAsset) => ('chain' in asset ? `${asset.chain} ${asset.contract}` : asset.symbol)

const PROBLEMS: Record<AssetProblem, string> = {
  chain: 'chain: is not a chain whose tokens can be read',
  contract: 'contract: is not an address of this chain',
  symbol: 'symbol: is not a symbol',
  'price source': 'priceSource: must be fx, coingecko:ID, defillama:ID or fixed:USD, the last with at most 18 decimals',
  currency: 'priceSource: fx does not know this currency',
}

function readGiven(given: readonly GivenBalance[], facts: AssetFacts): Wanted {
  const wanted: Wanted = new Map()
  for (const [index, { amount, ...named }] of given.entries()) {
    const checked = checkAsset(named as BalanceAsset, facts)
    if ('problem' in checked) throw refused(`balances.${index}.${PROBLEMS[checked.problem]}`)
    const subject = subjectOf(checked.asset)
    if (wanted.has(subject)) throw refused(`balances.${index}: is listed twice`)
    wanted.set(subject, { asset: checked.asset, amount: formatDecimal(decimal(amount)) })
  }
  return wanted
}

async function replace(trx: Trx, virtualUserId: string, wanted: Wanted): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(trx)
  const changedAt = rows[0]?.now ?? new Date()
  const before = await currentBalances(trx, virtualUserId)
  const gone = before.filter(({ asset, amount }) => amount.gt(ZERO) && !wanted.has(subjectOf(asset)))
  const known = new Set(before.map(({ asset, amount }) => JSON.stringify([asset, formatDecimal(amount)])))
  const changed = [...wanted.values()].filter(({ asset, amount }) => !known.has(JSON.stringify([asset, amount])))
  const changes = [
    ...gone.map(({ asset }) => ({ asset, amount: ZERO })),
    ...changed.map(({ asset, amount }) => ({ asset, amount: decimal(amount) })),
  ]
  for (const { asset, amount } of changes) await recordBalance(trx, { virtualUserId, asset, amount, changedAt })
  return changes.length
}

/** Refused credentials are the caller's error. */
function explain(thrown: unknown): never {
  if (!(thrown instanceof UpstreamError)) throw thrown
  if (thrown.reason === 'not-allowed') throw refused(thrown.message)
  throw new Failure('UPSTREAM_UNAVAILABLE', thrown.message)
}
