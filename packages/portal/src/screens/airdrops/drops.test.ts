import { expect, test } from 'vitest'
import { type Airdrops, claimableNow, dropsOf } from './drops.ts'

const asset = (value: string, isClaimable: boolean, unlockAt: string) => ({ value, isClaimable, unlockAt })

const answer = (positions: Record<string, { name: string; assets: object[] }[]>) =>
  ({
    assetByProtocols: Object.fromEntries(
      Object.entries(positions).map(([name, protocolPositions]) => [
        name.toLowerCase(),
        { name, chains: { solana: { protocolPositions: { AIRDROP: { protocolPositions } } } } },
      ]),
    ),
  }) as unknown as Airdrops

test('claimable airdrops come first, then the next ones, then those without a date', () => {
  const drops = dropsOf(
    answer({
      Nova: [
        { name: 'Season 3', assets: [asset('9', true, '0'), asset('500', false, '1900000000')] },
        { name: 'Season 4', assets: [asset('1', false, '1800000000'), asset('1000', false, '0')] },
      ],
      Stream: [{ name: 'Drop', assets: [asset('10.5', true, '0'), asset('2', false, '1800000000')] }],
    }),
  )
  expect(drops.map(({ protocol, name, claim, asset: { value } }) => [protocol, name, claim, value])).toEqual([
    ['Stream', 'Drop', 'now', '10.5'],
    ['Nova', 'Season 3', 'now', '9'],
    ['Stream', 'Drop', 'later', '2'],
    ['Nova', 'Season 4', 'later', '1'],
    ['Nova', 'Season 3', 'later', '500'],
    ['Nova', 'Season 4', 'unknown', '1000'],
  ])
  expect(new Set(drops.map(({ key }) => key)).size).toBe(6)
})

test('what can be claimed without a price is counted, and is no zero', () => {
  const unpriced = { ...asset('0', true, '0'), price: '0', priceSource: null }
  const priced = { ...asset('9', true, '0'), price: '3', priceSource: 'chainlink' }
  const later = { ...unpriced, isClaimable: false, unlockAt: '1900000000' }
  const now = (networth: string, assets: object[]) =>
    claimableNow(networth, dropsOf(answer({ Nova: [{ name: 'Season 3', assets }] })))
  expect(now('9', [priced, unpriced, unpriced])).toEqual({ worth: '9', unpriced: 2 })
  expect(now('0', [unpriced, later])).toEqual({ worth: 'N/A', unpriced: 1 })
  expect(now('0', [later])).toEqual({ worth: '0', unpriced: 0 })
})

test('a wallet without airdrops has no parts', () => {
  expect(dropsOf(answer({}))).toEqual([])
})
