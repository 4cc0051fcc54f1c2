import { Failure } from '@coffer/contract'
import type { BalancesView, GivenBalance, VirtualUserView } from '@coffer/contract/portal'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { decimal, formatDecimal, ZERO } from '../../domain/decimal.ts'
import type { ExchangeCredentials, Exchanges } from '../../exchanges/exchange.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { type Actor, recordAction } from '../portal-users/audit.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { type AssetFacts, type AssetProblem, checkAsset, type PricingSettings, whyUnpriced } from './balance-assets.ts'
import { type BalanceAsset, currentBalances, recordBalance } from './balances.ts'
import { findLink, linkExchange, unlinkExchange, untoldRights } from './exchange-links.ts'
import {
  createVirtualUser,
  findVirtualUser,
  listVirtualUsers,
  removeVirtualUser,
  renameVirtualUser,
  type VirtualUser,
  virtualAddress,
} from './virtual-users.ts'

export type OwnVirtualUsersContext = {
  db: Kysely<Tables>
  vault: SecretVault
  exchanges: Exchanges
  assets: AssetFacts
  config: PricingSettings
  rates: FxRates
}
type Db = Pick<OwnVirtualUsersContext, 'db'>
export type Own = { accountId: string; id: string }

export async function describeVirtualUsers({ db }: Db, accountId: string): Promise<VirtualUserView[]> {
  return Promise.all((await listVirtualUsers(db, accountId)).map((user) => viewOf(db, user)))
}

export function addVirtualUser(
  { db }: Db,
  actor: Actor,
  wanted: Pick<VirtualUser, 'accountId' | 'type' | 'label'>,
): Promise<VirtualUserView> {
  return db.transaction().execute(async (trx) => {
    const user = await createVirtualUser(trx, wanted)
    const { accountId, ...detail } = wanted
    await recordAction(trx, actor, {
      action: 'created a virtual user',
      accountId,
      detail: { id: user.id, ...detail },
    })
    return viewOf(trx, user)
  })
}

export function renameOwn(context: Db, actor: Actor, of: Own, label: string): Promise<VirtualUserView> {
  return change(context, actor, of, 'renamed a virtual user', async (trx, user) => {
    const renamed = (await renameVirtualUser(trx, user.id, label)) ?? user
    return { value: await viewOf(trx, renamed), detail: { to: label } }
  })
}

export function removeOwn(context: Db, actor: Actor, of: Own): Promise<VirtualUserView> {
  return change(context, actor, of, 'removed a virtual user', async (trx, user) => {
    const value = await viewOf(trx, user)
    await removeVirtualUser(trx, user.id)
    return { value }
  })
}

export async function viewOwnBalances(context: OwnVirtualUsersContext, of: Own): Promise<BalancesView> {
  await getOwn(context.db, of)
  return viewBalances(context, of.id)
}

export async function replaceBalances(
  context: OwnVirtualUsersContext,
  actor: Actor,
  of: Own,
  given: readonly GivenBalance[],
): Promise<BalancesView> {
  const wanted = readGiven(given, context.assets)
  await change(context, actor, of, 'set balances of a virtual user', async (trx, user) => {
    if (user.type !== 'BALANCE') throw refused('This virtual user is an exchange account')
    return { value: undefined, detail: { changes: await replace(trx, user.id, wanted) } }
  })
  // Reads rates from chains: not while the account is locked.
  return viewBalances(context, of.id)
}

export async function linkOwn(
  { db, vault, exchanges }: OwnVirtualUsersContext,
  actor: Actor,
  of: Own,
  { exchange: key, credentials }: { exchange: string; credentials: ExchangeCredentials },
) {
  await getOwn(db, of)
  const exchange = await exchanges.find(key)
  if (!exchange) throw refused(`The exchange ${key} is not supported`)
  const { accountId, id } = of
  const action = { action: 'linked an exchange', accountId, detail: { id, exchange: exchange.key } }
  const record = (trx: Transaction<Tables>) => recordAction(trx, actor, action)
  const outcome = await linkExchange({ db, vault, record }, id, exchange, credentials).catch(explain)
  if ('refusal' in outcome) throw refused(outcome.refusal)
  const { permissions } = outcome
  const warning = untoldRights(exchange, permissions) ?? null
  return { exchange: exchange.key, name: exchange.name, permissions, warning }
}

export function unlinkOwn(context: Db, actor: Actor, of: Own): Promise<VirtualUserView> {
  return change(context, actor, of, 'unlinked an exchange', async (trx, user) => {
    const { exchange } = await viewOf(trx, user)
    if (!(await unlinkExchange(trx, user.id))) throw refused('This virtual user is not linked to an exchange')
    return { value: await viewOf(trx, user), detail: { exchange } }
  })
}

function change<T>(
  { db }: Db,
  actor: Actor,
  of: Own,
  action: string,
  work: (trx: Transaction<Tables>, user: VirtualUser) => Promise<{ value: T; detail?: object }>,
): Promise<T> {
  const { accountId, id } = of
  return withAccountLock(db, accountId, async (trx) => {
    const user = await getOwn(trx, of)
    const { value, detail } = await work(trx, user)
    await recordAction(trx, actor, { action, accountId, detail: { id, label: user.label, ...detail } })
    return value
  })
}

const refused = (message: string) => new Failure('VALIDATION_ERROR', message)

async function getOwn(db: Kysely<Tables>, { accountId, id }: Own): Promise<VirtualUser> {
  const user = await findVirtualUser(db, id)
  if (user?.accountId !== accountId) throw new Failure('NOT_FOUND', 'There is no such virtual user')
  return user
}

async function viewOf(db: Kysely<Tables>, { accountId: _, ...user }: VirtualUser): Promise<VirtualUserView> {
  const link = user.type === 'CEX' ? await findLink(db, user.id) : undefined
  return { ...user, address: virtualAddress(user.id), exchange: link?.exchange ?? null }
}

async function viewBalances({ db, config, rates }: OwnVirtualUsersContext, id: string): Promise<BalancesView> {
  const held = (await currentBalances(db, id)).filter(({ amount }) => amount.gt(ZERO))
  const warnings = await Promise.all(held.map(({ asset }) => whyUnpriced(asset, config, rates)))
  return {
    balances: held.map(({ asset, amount }) => ({ ...asset, amount: formatDecimal(amount) })),
    warnings: [...new Set(warnings.filter((warning) => warning !== undefined))],
  }
}

type Wanted = Map<string, { asset: BalanceAsset; amount: string }>

/** A symbol is one asset whatever its price source. */
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

async function replace(trx: Transaction<Tables>, virtualUserId: string, wanted: Wanted): Promise<number> {
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

/** Refused credentials are the caller's error. The message names only the exchange. */
function explain(thrown: unknown): never {
  if (!(thrown instanceof UpstreamError)) throw thrown
  if (thrown.reason === 'not-allowed') throw refused(thrown.message)
  throw new Failure('UPSTREAM_UNAVAILABLE', thrown.message)
}
