import { randomUUID } from 'node:crypto'
import type { Address } from '../../domain/address.ts'
import type { LatestRates } from './conversion-rates.ts'
import type { CachedWallet, Portfolios } from './portfolios.ts'
import type { ShownParts } from './present-portfolio.ts'
import {
  isWhole,
  type PortfolioState,
  type Presentation,
  presentPortfolio,
  presentWallet,
  withCompleteness,
} from './present-portfolio.ts'
import type { WalletFigures } from './wallet-figures.ts'

type Query = {
  addresses: readonly Address[]
  includeImages: boolean
  includeExplorerUrls: boolean
  waitForSync: boolean
  includeFlatAssets?: boolean
}

/** `ofEnabled`: of the enabled chains. */
export type Showing = { rates: LatestRates; ofEnabled(shown: ShownParts): Presentation }

/** Null while a history is incomplete; undefined if it has to be looked up. */
export type FindFigures = {
  findFresh(accountId: string, wallet: Address, isForNews: boolean): WalletFigures | null | undefined
  get(accountId: string, wallet: Address, isForNews: boolean): Promise<WalletFigures | null>
}

type Seen = { cached: CachedWallet; figures: WalletFigures | null }

type AnyView = { incomplete: readonly unknown[] }
type WrittenView = { template: OriginTemplate; isWhole: boolean }

export function createPortfolioViews(portfolios: Portfolios, figures: FindFigures, showing: Showing) {
  const { rates, ofEnabled: presentation } = showing
  const written = new WeakMap<CachedWallet, Map<string, WrittenView>>()

  function write(seen: Seen, variant: string, present: (state: PortfolioState) => AnyView): WrittenView {
    const variants = written.get(seen.cached) ?? new Map<string, WrittenView>()
    written.set(seen.cached, variants)
    const key = seen.figures ? `${variant} ${seen.figures.version}` : variant
    const known = variants.get(key)
    if (known !== undefined) return known
    const { state } = seen.cached
    const view = present(seen.figures ? { ...state, figures: seen.figures } : state)
    const made = { template: originTemplate(JSON.stringify([view])), isWhole: isWhole(view) }
    variants.set(key, made)
    return made
  }

  function viewOf(view: string, present: (state: PortfolioState, presentation: Presentation) => AnyView) {
    function answer(wallets: readonly Seen[], query: Query, origin: string) {
      const { includeImages: images, includeExplorerUrls: explorerUrls, includeFlatAssets: flatAssets = false } = query
      const presented = (state: PortfolioState) =>
        present(state, presentation({ images, explorerUrls, flatAssets, origin: ORIGIN }))
      const variant = `${view} ${images} ${explorerUrls} ${flatAssets}`
      const views = wallets.map((seen) => write(seen, variant, presented))
      const body = joinArrays(views.map(({ template }) => template.at(origin)))
      const whole = views.filter((view) => view.isWhole)
      return withCompleteness(body, whole.length === views.length)
    }
    return {
      fresh(accountId: string, query: Query, origin: string) {
        const wallets = findFresh(accountId, query)
        return wallets && answer(wallets, query, origin)
      },
      lookUp: async (accountId: string, query: Query, origin: string) =>
        answer(await getStates(accountId, query), query, origin),
    }
  }

  function findFresh(accountId: string, { addresses, waitForSync }: Query): Seen[] | undefined {
    const found = addresses.flatMap((address): Seen[] => {
      const cached = portfolios.findFresh(address, waitForSync)
      const known = cached && figures.findFresh(accountId, address, waitForSync)
      return cached && known !== undefined ? [{ cached, figures: known }] : []
    })
    return found.length === addresses.length ? found : undefined
  }

  async function getStates(accountId: string, { addresses, waitForSync }: Query): Promise<Seen[]> {
    const loaded = rates.load()
    const found = await Promise.all(
      addresses.map(async (address) => {
        const [cached, known] = await Promise.all([
          portfolios.getState(address, waitForSync),
          figures.get(accountId, address, waitForSync),
        ])
        return { cached, figures: known }
      }),
    )
    await loaded
    return found
  }

  return { portfolios: viewOf('portfolio', presentPortfolio), wallets: viewOf('wallet', presentWallet) }
}

function joinArrays(arrays: readonly Buffer[]): Buffer {
  const [only] = arrays
  if (only && arrays.length === 1) return only
  const elements = arrays.map((array) => array.toString('latin1', 1, array.length - 1))
  return Buffer.from(`[${elements.join(',')}]`, 'latin1')
}

/** Random, so that no untrusted token name contains it. */
export const ORIGIN = `origin-${randomUUID()}`

export type OriginTemplate = { at(origin: string): Buffer }

/** `json` has `ORIGIN` where a URL begins. Without any, `at` does not copy. */
export function originTemplate(json: string): OriginTemplate {
  const parts = json.split(ORIGIN)
  const bytes = Buffer.from(parts.join(''))
  if (parts.length === 1) return { at: () => bytes }
  const ends: number[] = []
  let length = 0
  for (const part of parts) {
    length += Buffer.byteLength(part)
    ends.push(length)
  }

  function at(origin: string): Buffer {
    const inserted = Buffer.from(origin)
    const whole = Buffer.allocUnsafe(bytes.length + inserted.length * (ends.length - 1))
    let start = 0
    let next = 0
    for (const [part, end] of ends.entries()) {
      if (part > 0) next += inserted.copy(whole, next)
      next += bytes.copy(whole, next, start, end)
      start = end
    }
    return whole
  }

  return { at }
}
