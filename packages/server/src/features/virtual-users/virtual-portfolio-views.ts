import type { Portfolio, VirtualAddress } from '@coffer/contract'
import { CEX } from '../../domain/virtual-read.ts'
import type { Exchanges } from '../../exchanges/exchange.ts'
import { type Presentation, presentPortfolio, type ShownChain } from '../portfolio/present-portfolio.ts'
import { mergeStates, type VirtualPortfolios } from './virtual-portfolios.ts'
import { idOf } from './virtual-users.ts'

type Query = {
  addresses: readonly VirtualAddress[]
  aggregated: boolean
  waitForSync: boolean
  includeImages: boolean
  includeExplorerUrls: boolean
}

export type VirtualPortfolioViews = ReturnType<typeof createVirtualPortfolioViews>

/** What is on no chain, shown as one. */
const cexChain: ShownChain = { key: CEX, name: 'CEX', chainId: '', explorer: null }

/** The answers about virtual users, in request order, or all of them as one. */
export function createVirtualPortfolioViews({
  portfolios,
  presentation,
  exchanges,
}: {
  portfolios: Pick<VirtualPortfolios, 'getState'>
  /** Names, links and pictures of what is on chains; `origin` begins the picture's URL. */
  presentation(options: { images: boolean; explorerUrls: boolean; origin: string }): Presentation
  exchanges: Pick<Exchanges, 'list'>
}) {
  return async function portfoliosOf(query: Query, origin: string): Promise<Portfolio[]> {
    const { addresses, aggregated, waitForSync, includeImages: images, includeExplorerUrls: explorerUrls } = query
    const [states, listed] = await Promise.all([
      Promise.all(addresses.map((address) => portfolios.getState(idOf(address), waitForSync))),
      exchanges.list(),
    ])
    const names = new Map(listed.map(({ key, name }) => [key, name]))
    const onChains = presentation({ images, explorerUrls, origin })
    const shown: Presentation = {
      ...onChains,
      chain: (key) => (key === CEX ? cexChain : onChains.chain(key)),
      protocol: (key) => ({ name: names.get(key) ?? key }),
    }
    return (aggregated ? [mergeStates(states)] : states).map((state) => presentPortfolio(state, shown))
  }
}
