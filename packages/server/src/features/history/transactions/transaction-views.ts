import { type exportEndpoints, Failure, type RequestOf, type transactionEndpoints } from '@coffer/contract'
import type { Chain } from '../../../chains/chain.ts'
import { findChain } from '../../../chains/chain-catalog.ts'
import type { Address } from '../../../domain/address.ts'
import type { Token } from '../../../domain/token.ts'
import type { ProtocolBasis } from '../../../domain/transaction.ts'
import type { IconUrls } from '../../icons/icons.ts'
import type { FindSyncs } from '../../portfolio/sync-status.ts'
import type { FindBasis } from '../cost/cost-accounts.ts'
import { presentCoverage, presentTransaction, type ShownTransaction } from './present-transaction.ts'
import type { TransactionFilter } from './transaction-filter.ts'
import type { ListedMovement, ListedTransaction, TransactionStore } from './transaction-store.ts'

type Query = RequestOf<ReturnType<typeof transactionEndpoints>['listTransactions']>['query']
type Filtered = Omit<RequestOf<ReturnType<typeof exportEndpoints>['exportTransactions']>['query'], 'format'>

const PAGE = 500

export type TransactionViews = ReturnType<typeof createTransactionViews>

type FindToken = (address: Address) => Token | undefined

export function createTransactionViews({
  store,
  chains,
  tokensOf,
  isOneCoin,
  protocols,
  functionName,
  selectorsNamed,
  findBasis,
  findSyncs,
  noteUse,
  iconUrls,
}: {
  store: TransactionStore
  chains: readonly Chain[]
  tokensOf(chain: string, tokens: readonly Address[]): Promise<FindToken>
  isOneCoin: ShownTransaction['isOneCoin']
  protocols: ReadonlyMap<string, { name: string }>
  functionName(selector: string): string | null
  selectorsNamed(part: string): `0x${string}`[]
  findBasis: FindBasis
  findSyncs: FindSyncs
  noteUse(wallet: Address): void
  iconUrls(origin: string): IconUrls
}) {
  const chainOf = new Map(chains.map((chain) => [chain.key, chain]))

  async function findersOf(tokens: readonly { chain: string; token: Address }[]): Promise<Map<string, FindToken>> {
    const found = [...Map.groupBy(tokens, ({ chain }) => chain)].map(async ([chain, ofIt]) => {
      const named = ofIt.map(({ token }) => token)
      return [chain, await tokensOf(chain, named)] as const
    })
    return new Map(await Promise.all(found))
  }

  /** Throws VALIDATION_ERROR for an unknown chain or protocol. */
  function scopeOf({ networks, chain, protocols: asked }: Filtered): Pick<TransactionFilter, 'chains' | 'protocols'> {
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

  async function searchOf({ addresses }: Filtered, text: string): Promise<TransactionFilter['search']> {
    const part = text.toLowerCase()
    const has = (name: string | null | undefined) => name?.toLowerCase().includes(part) === true
    const tokens = await store.tokens(addresses)
    const finders = await findersOf(tokens)
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

  const filterOf = async (query: Filtered): Promise<TransactionFilter> => ({
    ...plainFilter(query),
    ...scopeOf(query),
    search: query.initialSearchText === undefined ? undefined : await searchOf(query, query.initialSearchText),
  })

  function namesOf({ selector, protocol: key, protocol_basis: shown }: ListedTransaction) {
    const basis = shown === null ? {} : { basis: shown as ProtocolBasis }
    const protocol = key === null ? null : { key, name: protocols.get(key)?.name ?? key, ...basis }
    return { functionName: functionName(selector), protocol }
  }

  async function shownOf(accountId: string, rows: readonly ListedTransaction[]): Promise<ShownTransaction[]> {
    const [movements, basis] = await Promise.all([store.movements(rows), findBasis(accountId, rows)])
    const finders = await findersOf(movements)
    const ofTransaction = Map.groupBy(movements, placeOf)
    return rows.flatMap((row) => {
      const chain = chainOf.get(row.chain)
      if (!chain) return []
      const find = finders.get(row.chain) ?? (() => undefined)
      const moved = ofTransaction.get(placeOf(row)) ?? []
      return [{ row, chain, find, isOneCoin, movements: moved, ...namesOf(row), basis: basis(row) }]
    })
  }

  const searchedOf = createSearched({ store, findSyncs })

  return {
    check: (query: Filtered) => void scopeOf(query),
    searchedOf,

    async *walk(accountId: string, query: Filtered): AsyncGenerator<ShownTransaction[], void, undefined> {
      for (const wallet of query.addresses) noteUse(wallet)
      for await (const rows of store.walk(await filterOf(query), PAGE)) yield await shownOf(accountId, rows)
    },

    async list(accountId: string, query: Query, origin: string) {
      for (const wallet of query.addresses) noteUse(wallet)
      const sort = query.sort === 'ASC' ? 'asc' : 'desc'
      const rows = await store.list(await filterOf(query), { sort, limit: query.limit, offset: query.offset })
      const [shown, searched] = await Promise.all([shownOf(accountId, rows), searchedOf(query.addresses)])
      const images = query.includeImages ? iconUrls(origin) : undefined
      return { transactions: shown.map((one) => presentTransaction({ ...one, images })), ...searched }
    },
  }
}

function createSearched({ store, findSyncs }: { store: Pick<TransactionStore, 'coverage'>; findSyncs: FindSyncs }) {
  return async (addresses: readonly Address[]) => {
    const [coverage, syncOf] = await Promise.all([store.coverage(addresses), findSyncs(addresses)])
    return {
      coverage: coverage.map(presentCoverage),
      syncs: addresses.map((address) => ({ address, ...syncOf(address).progress })),
    }
  }
}

const placeOf = ({ wallet, chain, block, tx_index }: Pick<ListedMovement, 'wallet' | 'chain' | 'block' | 'tx_index'>) =>
  `${wallet} ${chain} ${block} ${tx_index}`

function plainFilter(query: Filtered): TransactionFilter {
  return {
    wallets: query.addresses,
    types: query.txTypes || query.type ? [...(query.txTypes ?? []), ...(query.type ?? [])] : undefined,
    hideSpam: query.hideSpam,
    hideDust: query.hideDust,
    from: query.startDate,
    to: query.endDate,
    tokenId: query.tokenId,
    tenants: query.interactingAddresses,
  }
}
