import type { EvmAddress } from '../../domain/evm-address.ts'
import type { CachedWallet, Portfolios } from './portfolios.ts'
import { type Presentation, presentPortfolio } from './present-portfolio.ts'
import { presentWallet } from './present-wallet.ts'

type PortfolioQuery = {
  addresses: readonly EvmAddress[]
  includeImages: boolean
  includeExplorerUrls: boolean
  waitForSync: boolean
}
type WalletQuery = Pick<PortfolioQuery, 'addresses' | 'waitForSync'>

type Dependencies = {
  portfolios: Portfolios
  /** Names, links and pictures; `origin` begins the picture's URL. */
  presentation(options: { images: boolean; explorerUrls: boolean; origin: string }): Presentation
}

export type PortfolioViews = ReturnType<typeof createPortfolioViews>

/** The answers about wallets. What was presented once is kept as bytes until its wallet is read again. */
export function createPortfolioViews({ portfolios, presentation }: Dependencies) {
  const written = new WeakMap<CachedWallet, Map<string, Buffer>>()

  /** One wallet's view as a JSON array of that one, written once for each variant. */
  function write(cached: CachedWallet, variant: string, present: (cached: CachedWallet) => unknown): Buffer {
    const variants = written.get(cached) ?? new Map<string, Buffer>()
    written.set(cached, variants)
    const known = variants.get(variant)
    if (known !== undefined) return known
    const json = Buffer.from(JSON.stringify([present(cached)]))
    variants.set(variant, json)
    return json
  }

  function writePortfolios(wallets: readonly CachedWallet[], query: PortfolioQuery, origin: string): Buffer {
    const { includeImages: images, includeExplorerUrls: explorerUrls } = query
    const variant = `portfolio ${images} ${explorerUrls} ${images ? origin : ''}`
    return writeArray(wallets, variant, (cached) =>
      presentPortfolio(cached.state, presentation({ images, explorerUrls, origin })),
    )
  }

  function writeWallets(wallets: readonly CachedWallet[]): Buffer {
    const plain = presentation({ images: false, explorerUrls: false, origin: '' })
    return writeArray(wallets, 'wallet', (cached) => presentWallet(cached.state, plain))
  }

  function writeArray(wallets: readonly CachedWallet[], variant: string, present: (cached: CachedWallet) => unknown) {
    const arrays = wallets.map((cached) => write(cached, variant, present))
    const [only] = arrays
    return only && arrays.length === 1 ? only : joinArrays(arrays)
  }

  /** All wallets from memory, or nothing: one that must be looked up is no fresh answer. */
  function findFresh(addresses: readonly EvmAddress[]): CachedWallet[] | undefined {
    const found = addresses.flatMap((address) => portfolios.findFresh(address) ?? [])
    return found.length === addresses.length ? found : undefined
  }

  function getStates({ addresses, waitForSync }: WalletQuery): Promise<CachedWallet[]> {
    return Promise.all(addresses.map((address) => portfolios.getState(address, waitForSync)))
  }

  return {
    freshPortfolios(query: PortfolioQuery, origin: string): Buffer | undefined {
      const wallets = findFresh(query.addresses)
      return wallets && writePortfolios(wallets, query, origin)
    },
    portfolios: async (query: PortfolioQuery, origin: string) => writePortfolios(await getStates(query), query, origin),
    freshWallets(query: WalletQuery): Buffer | undefined {
      const wallets = findFresh(query.addresses)
      return wallets && writeWallets(wallets)
    },
    wallets: async (query: WalletQuery) => writeWallets(await getStates(query)),
  }
}

/** One JSON array of the elements of several, none of which is empty. Their bytes are taken as they are. */
function joinArrays(arrays: readonly Buffer[]): Buffer {
  const elements = arrays.map((array) => array.toString('latin1', 1, array.length - 1))
  return Buffer.from(`[${elements.join(',')}]`, 'latin1')
}
