import type { VirtualAddress } from '@coffer/contract'
import { CEX } from '../../domain/virtual-read.ts'
import type { Exchanges } from '../../exchanges/exchange.ts'
import type { LatestRates } from '../portfolio/conversion-rates.ts'
import {
  isWhole,
  type Presentation,
  presentPortfolio,
  type ShownChain,
  withCompleteness,
} from '../portfolio/present-portfolio.ts'
import type { ShownParts } from '../portfolio/presentation.ts'
import { mergeStates, type VirtualPortfolios } from './virtual-portfolios.ts'
import { idOf } from './virtual-users.ts'

type Query = {
  addresses: readonly VirtualAddress[]
  aggregated: boolean
  waitForSync: boolean
  includeImages: boolean
  includeExplorerUrls: boolean
  includeFlatAssets: boolean
}

export type VirtualPortfolioViews = ReturnType<typeof createVirtualPortfolioViews>

const cexChain: ShownChain = { key: CEX, name: 'CEX', chainId: '', explorer: null }

export function createVirtualPortfolioViews({
  portfolios,
  presentation,
  rates,
  exchanges,
}: {
  portfolios: Pick<VirtualPortfolios, 'getState'>
  presentation(shown: ShownParts): Presentation
  rates: Pick<LatestRates, 'load'>
  exchanges: Pick<Exchanges, 'list'>
}) {
  return async function portfoliosOf(query: Query, origin: string) {
    const { addresses, aggregated, waitForSync } = query
    const [states, listed] = await Promise.all([
      Promise.all(addresses.map((address) => portfolios.getState(idOf(address), waitForSync))),
      exchanges.list(),
      rates.load(),
    ])
    const names = new Map(listed.map(({ key, name }) => [key, name]))
    const onChains = presentation({
      images: query.includeImages,
      explorerUrls: query.includeExplorerUrls,
      flatAssets: query.includeFlatAssets,
      origin,
    })
    const shown: Presentation = {
      ...onChains,
      chain: (key) => (key === CEX ? cexChain : onChains.chain(key)),
      protocol: (key) => ({ name: names.get(key) ?? key }),
    }
    const views = (aggregated ? [mergeStates(states)] : states).map((state) => presentPortfolio(state, shown))
    return withCompleteness(views, views.every(isWhole))
  }
}
