import { type endpoints, Failure, type RequestOf } from '@coffer/contract'
import type { Chain } from '../../../chains/chain.ts'
import { findChain } from '../../../chains/chain-catalog.ts'
import type { Db } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { ProtocolBasis } from '../../../domain/transaction.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { FindTokens } from '../../../wallets/create-reading.ts'
import type { OriginIconUrls } from '../../icons/icons.ts'
import type { FindSyncs } from '../../portfolio/portfolios.ts'
import { findByChain } from '../context.ts'
import {
  presentCoverage,
  presentTransaction,
  type ShownTransaction,
  type TransactionBasis,
} from './present-transaction.ts'
import {
  findCoverage,
  findMovedTokens,
  findMovements,
  type ListedMovement,
  type ListedTransaction,
  listTransactions,
  type TransactionFilter,
  walkTransactions,
} from './transaction-store.ts'

type Query = RequestOf<(typeof endpoints)['listTransactions']>['query']
type Filtered = Omit<RequestOf<(typeof endpoints)['exportTransactions']>['query'], 'format'>

export type TransactionsContext = {
  db: Db
  chains: readonly Chain[]
  findTokens: FindTokens
  isOneCoin: ShownTransaction['isOneCoin']
  protocols: ReadonlyMap<string, { name: string }>
  functionName(selector: string): string | null
  selectorsNamed(part: string): `0x${string}`[]
  findBasis(
    accountId: string,
    rows: readonly ListedTransaction[],
    waits?: boolean,
  ): Promise<(row: ListedTransaction) => TransactionBasis | 'computing' | undefined>
  findSyncs: FindSyncs
  noteUse(wallet: Address): void
  iconUrls: OriginIconUrls
  clock: Clock
}

const PAGE = 500

export async function* walkShown(context: TransactionsContext, accountId: string, query: Filtered) {
  for (const wallet of query.addresses) context.noteUse(wallet)
  const filter = await filterOf(context, query)
  for await (const rows of walkTransactions(context.db, filter, PAGE))
    yield await shownOf(context, accountId, rows, true)
}

export async function listShown(context: TransactionsContext, accountId: string, query: Query, origin: string) {
  for (const wallet of query.addresses) context.noteUse(wallet)
  const { limit, offset } = query
  const page = { sort: query.sort === 'ASC' ? 'asc' : 'desc', limit, offset } as const
  const rows = await listTransactions(context.db, await filterOf(context, query), page)
  const [shown, searched] = await Promise.all([
    shownOf(context, accountId, rows),
    findSearched(context, query.addresses),
  ])
  const images = query.includeImages ? context.iconUrls(origin) : undefined
  return { transactions: shown.map((one) => presentTransaction({ ...one, images })), ...searched }
}

export async function findSearched({ db, findSyncs }: TransactionsContext, addresses: readonly Address[]) {
  const [coverage, syncOf] = await Promise.all([findCoverage(db, addresses), findSyncs(addresses)])
  return {
    coverage: coverage.map(presentCoverage),
    syncs: addresses.map((address) => ({ address, ...syncOf(address).progress })),
  }
}

/** Throws VALIDATION_ERROR for an unknown chain or protocol. */
export function checkFilter(
  { chains, protocols }: TransactionsContext,
  { networks, chain, protocols: asked }: Filtered,
) {
  const keys = networks || chain ? [...(networks ?? []), ...(chain ?? [])] : undefined
  const found = keys?.map((key) => {
    const known = findChain(key, chains)
    if (!known) throw new Failure('VALIDATION_ERROR', `networks: ${key} is not a chain key`)
    return known.key
  })
  const unknown = asked?.find((key) => !protocols.has(key))
  if (unknown !== undefined) throw new Failure('VALIDATION_ERROR', `protocols: ${unknown} is not a protocol key`)
  return { chains: found && [...new Set(found)], protocols: asked }
}

async function filterOf(context: TransactionsContext, query: Filtered): Promise<TransactionFilter> {
  return {
    ...checkFilter(context, query),
    wallets: query.addresses,
    types: query.txTypes || query.type ? [...(query.txTypes ?? []), ...(query.type ?? [])] : undefined,
    hideSpam: query.hideSpam,
    hideDust: query.hideDust,
    from: query.startDate,
    to: query.endDate,
    tokenId: query.tokenId,
    tenants: query.interactingAddresses,
    search: query.initialSearchText === undefined ? undefined : await searchOf(context, query, query.initialSearchText),
  }
}

async function searchOf(context: TransactionsContext, { addresses }: Filtered, text: string) {
  const { db, findTokens, protocols, selectorsNamed } = context
  const part = text.toLowerCase()
  const has = (name: string | null | undefined) => name?.toLowerCase().includes(part) === true
  const tokens = await findMovedTokens(db, addresses)
  const finders = await findByChain(tokens, findTokens)
  return {
    hash: part,
    tokens: tokens.filter(({ chain, token }) => {
      const known = finders.get(chain)?.(token)
      return has(known?.symbol) || has(known?.name)
    }),
    protocols: [...protocols].flatMap(([key, { name }]) => (has(name) ? [key] : [])),
    selectors: selectorsNamed(part),
  }
}

async function shownOf(
  context: TransactionsContext,
  accountId: string,
  rows: readonly ListedTransaction[],
  waits = false,
) {
  const { db, chains, findTokens, isOneCoin } = context
  const [movements, basis] = await Promise.all([findMovements(db, rows), context.findBasis(accountId, rows, waits)])
  const finders = await findByChain(movements, findTokens)
  const ofTransaction = Map.groupBy(movements, placeOf)
  return rows.flatMap((row) => {
    const chain = chains.find(({ key }) => key === row.chain)
    if (!chain) return []
    const find = finders.get(row.chain) ?? (() => undefined)
    const moved = ofTransaction.get(placeOf(row)) ?? []
    return [{ row, chain, find, isOneCoin, movements: moved, ...namesOf(context, row), basis: basis(row) }]
  })
}

function namesOf(
  { protocols, functionName }: TransactionsContext,
  { selector, protocol: key, protocol_basis: shown }: ListedTransaction,
) {
  const basis = shown === null ? {} : { basis: shown as ProtocolBasis }
  const protocol = key === null ? null : { key, name: protocols.get(key)?.name ?? key, ...basis }
  return { functionName: functionName(selector), protocol }
}

const placeOf = ({ wallet, chain, block, tx_index }: ListedMovement | ListedTransaction) =>
  `${wallet} ${chain} ${block} ${tx_index}`
