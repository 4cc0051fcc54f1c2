import type { APPROVAL_CHAINS } from '@coffer/contract'
import { queryOptions, useQueries } from '@tanstack/react-query'
import { queryClient, useAccount, useV1, v1Query } from '../../api/queries.ts'
import type { V1Path } from '../../api/types.ts'
import { type Approval, byRisk, lastAllowances } from './allowances.ts'

const PAGE = 100
const PATH = '/v1/approvals/:chain' satisfies V1Path<'GET'>

export type ChainRead = { key: string; name: string; isPending: boolean; error: unknown; retry: () => void }

/** Reads a wallet's newest approvals on a chain, up to `depth` pages. */
const approvalsQuery = (account: string, chain: string, wallet: string, depth: number) =>
  queryOptions({
    queryKey: ['accounts', account, PATH, chain, wallet, depth],
    // Keeps the pages while more are read, but not those of another wallet.
    placeholderData: (last, query) => (query?.queryKey[4] === wallet ? last : undefined),
    queryFn: async () => {
      const approvals: Approval[] = []
      let cursor: string | null | undefined
      for (let page = 0; page < depth && cursor !== null; page += 1) {
        const query = { addresses: wallet, limit: PAGE, cursor }
        const answer = await queryClient.fetchQuery(v1Query(account, PATH, { params: { chain }, query }))
        approvals.push(...answer.items)
        cursor = answer.cursor
      }
      return { approvals, hasMore: cursor !== null }
    },
  })

type ApprovalChain = (typeof APPROVAL_CHAINS)[number]

/** The contract's own list would bring its parser into the browser. */
const searched: Readonly<Record<ApprovalChain, true>> = {
  arbitrum: true,
  avalanche: true,
  base: true,
  binance: true,
  ethereum: true,
  fantom: true,
  gnosis: true,
  linea: true,
  optimism: true,
  polygon: true,
}

function useApprovalChains() {
  const chains = useV1('/v1/chains')
  const read = chains.data?.filter(({ key, isPortfolioSupported }) => isPortfolioSupported && key in searched) ?? []
  return { chains, read }
}

/** Allowances on all chains read so far, by risk. */
export function useAllowances(wallet: string, depth: number) {
  const { id: account } = useAccount()
  const { chains, read } = useApprovalChains()
  const queries = useQueries({ queries: read.map(({ key }) => approvalsQuery(account, key, wallet, depth)) })
  return {
    chains,
    reads: queries.map(
      ({ isPending, error, refetch }, at): ChainRead => ({
        key: read[at]?.key ?? '',
        name: read[at]?.name ?? '',
        isPending,
        error,
        retry: () => void refetch(),
      }),
    ),
    allowances: queries
      .flatMap(({ data }, at) => lastAllowances(read[at]?.key ?? '', data?.approvals ?? []))
      .sort(byRisk),
    hasMore: queries.some(({ data }) => data?.hasMore),
    isDeepening: queries.some(({ isPlaceholderData }) => isPlaceholderData),
  }
}
