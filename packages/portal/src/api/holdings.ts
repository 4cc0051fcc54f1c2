import { queryOptions, useQuery } from '@tanstack/react-query'
import { familyOf, onlyOf, walletsOf } from '../lib/addresses.ts'
import { HOLDINGS, queryClient, useAccount, v1Query } from './queries.ts'
import { request } from './request.ts'
import type { V1Answer } from './types.ts'

/** Figures of one block per chain. */
export type Holding = V1Answer<'GET', '/v1/portfolio'>[number]
export type HeldAsset = Holding['assetByProtocols'][string]['assets'][number]
export type HoldingGap = Holding['incomplete'][number]

/** Poll interval while the service searches for more. */
const SEARCHING_MS = 10_000

const holdingsQuery = (account: string, addresses: readonly string[]) =>
  queryOptions({
    queryKey: ['accounts', account, HOLDINGS, addresses],
    queryFn: ({ signal }) => readHoldings(account, addresses, { signal }),
    refetchInterval: ({ state }) => againIn(state.data),
  })

const againIn = (holdings: readonly Holding[] | undefined) => (holdings?.some(isSearched) ? SEARCHING_MS : false)
const isSearched = ({ incomplete }: Holding): boolean => incomplete.some(({ reason }) => reason === 'searching')

/** In the order of the addresses. */
export function useHoldings(addresses: readonly string[]) {
  return useQuery({ ...holdingsQuery(useAccount().id, addresses), enabled: addresses.length > 0 })
}

/** At the last block of each chain at or before `date` (ISO 8601, with a zone). Virtual users are left out. */
export function usePastHoldings(addresses: readonly string[], date: string) {
  const { id: account } = useAccount()
  const wallets = walletsOf(addresses)
  return useQuery({
    ...v1Query(account, '/v1/portfolio/at-block', { query: { addresses: wallets, date } }),
    enabled: wallets.length > 0,
    refetchInterval: ({ state }) => againIn(state.data),
  })
}

type Reading = { signal?: AbortSignal; waitForSync?: true }

async function readHoldings(
  account: string,
  addresses: readonly string[],
  { signal, waitForSync }: Reading,
): Promise<Holding[]> {
  const read = async (path: string, some: readonly string[]): Promise<Holding[]> => {
    if (some.length === 0) return []
    const query = { addresses: some, ...(waitForSync && { waitForSync }) }
    const parts = { params: { account }, query, ...(signal && { signal }) }
    return (await request('GET', `/accounts/:account${path}`, parts)) as Holding[]
  }
  const answers = await Promise.all(looksOf(addresses).map(({ path, addresses: some }) => read(path, some)))
  const place = ({ address }: Holding) => addresses.indexOf(address)
  return answers.flat().sort((a, b) => place(a) - place(b))
}

/** Returns the `/v1` calls that read holdings: wallets and virtual users have separate paths. */
export function looksOf(addresses: readonly string[]): { path: string; addresses: string[] }[] {
  return [
    { path: '/v1/portfolio', addresses: walletsOf(addresses) },
    { path: '/v1/virtual-users/portfolio', addresses: onlyOf(['virtual'], addresses) },
  ].filter((look) => look.addresses.length > 0)
}

/** Refreshes holdings older than a minute and waits for them. */
export async function refreshHoldings(account: string, addresses: readonly string[]): Promise<void> {
  const holdings = await readHoldings(account, addresses, { waitForSync: true })
  queryClient.setQueryData(holdingsQuery(account, addresses).queryKey, holdings)
}

export const isVirtual = ({ address }: Holding): boolean => familyOf(address) === 'virtual'
