import { expect, test } from 'vitest'
import { type Airdrops, dropsOf } from './drops.ts'

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

test('what can be claimed comes first, then what can be soonest, then what nobody knows', () => {
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

test('a wallet without airdrops has no parts', () => {
  expect(dropsOf(answer({}))).toEqual([])
})
