import { expect, test } from 'vitest'
import { heldOf, readOf, tokenOf } from '../../../test/wallet-reads.ts'
import { chains } from '../../chains/chain-types.ts'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { IconUrls } from '../icons/icons.ts'
import { NO_COIN_RATES } from './conversion-rates.ts'
import { createPortfolioViews } from './portfolio-views.ts'
import type { CachedWallet, Portfolios } from './portfolios.ts'

const first: Address = '0x00000000000000000000000000000000000000a1'
const second: Address = '0x00000000000000000000000000000000000000b2'
const plain = { includeImages: false, includeExplorerUrls: false, includeFlatAssets: true, waitForSync: false }

test('an answer about several wallets is one array of each wallet’s own answer, byte for byte', () => {
  const views = viewsOf(new Map([first, second].map((address) => [address, walletOf(address)])))
  const read = (...addresses: Address[]) =>
    JSON.parse(String(views.wallets.fresh('1', { ...plain, addresses }, '')?.body))
  const [one] = read(first)
  const [other] = read(second)
  expect(one).toMatchObject({ address: first })
  expect(JSON.stringify(one)).toContain('μέγα 🪙')
  expect(read(first, second)).toEqual([one, other])
  expect(read(second, first)).toEqual([other, one])
})

test('pictures are below the origin of each caller, and a wallet is presented once for all of them', () => {
  let presented = 0
  const views = viewsOf(new Map([[first, walletOf(first)]]), (origin) => {
    presented += 1
    const images = (name: string) => ({ imgSmall: `${origin}/${name}`, imgLarge: `${origin}/${name}` })
    return { chain: images, token: images, symbol: images, protocol: images }
  })
  const query = { ...plain, addresses: [first], includeImages: true }
  const imagesAt = (origin: string) =>
    new Set(String(views.portfolios.fresh('1', query, origin)?.body).match(/(?<="imgSmall":")[^"]+(?=\/)/g))
  for (let caller = 0; caller < 100; caller += 1) {
    const origin = `https://caller-${caller}.example`
    expect(imagesAt(origin)).toEqual(new Set([origin]))
  }
  expect(presented).toBe(1)
})

test('an answer says in its header that something is missing, for several wallets as soon as one of them lacks something', () => {
  const gap = { chain: 'base', reason: 'searching' } as const
  const { state, freshUntil } = walletOf(second)
  const views = viewsOf(
    new Map([
      [first, walletOf(first)],
      [second, { state: { ...state, incomplete: [gap] }, freshUntil }],
    ]),
  )
  const completeOf = (...addresses: Address[]) =>
    [views.portfolios, views.wallets].map(
      (view) => view.fresh('1', { ...plain, addresses }, '')?.headers['x-data-complete'],
    )
  expect(completeOf(first)).toEqual(['true', 'true'])
  expect(completeOf(second)).toEqual(['false', 'false'])
  expect(completeOf(first, second)).toEqual(['false', 'false'])
})

test('one wallet that is not in memory leaves no fresh answer', () => {
  const views = viewsOf(new Map([[first, walletOf(first)]]))
  expect(views.wallets.fresh('1', { ...plain, addresses: [first, second] }, '')).toBeUndefined()
})

function walletOf(address: Address): CachedWallet {
  const tokens = [tokenOf(address, 'M', { name: 'Μέγα 🪙' })]
  const read = valueRead(readOf(address, { holdings: [heldOf(address, 1n)], tokens }))
  return { state: { address, reads: [read], incomplete: [] }, freshUntil: 1 }
}

function viewsOf(wallets: ReadonlyMap<Address, CachedWallet>, images?: (origin: string) => IconUrls) {
  const portfolios: Portfolios = {
    findFresh: (address) => wallets.get(address),
    getState: () => Promise.reject(new Error('not in memory')),
    lastReadAt: () => Promise.reject(new Error('not in memory')),
    isRead: () => true,
    check: () => undefined,
  }
  const [ethereum] = chains.filter(({ key }) => key === 'ethereum')
  if (!ethereum) throw new Error('no such chain')
  const presentation = ({ origin }: { origin: string }) => ({
    chain: () => ethereum,
    protocol: () => ({ name: '' }),
    explorerUrls: false,
    flatAssets: true,
    coins: NO_COIN_RATES,
    ...(images && { images: images(origin) }),
  })
  const figures = { findFresh: () => null, get: async () => null }
  const rates = { load: async () => undefined, latest: () => NO_COIN_RATES }
  return createPortfolioViews(portfolios, figures, { rates, ofEnabled: presentation })
}
