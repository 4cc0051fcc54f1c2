import type { V1Answer } from '../../api/types.ts'
import { isPriced } from '../../lib/assets.ts'
import { compareDecimals } from '../../lib/pixels.ts'

export type Airdrops = V1Answer<'GET', '/v1/airdrop'>[number]
type Position =
  Airdrops['assetByProtocols'][string]['chains'][string]['protocolPositions']['AIRDROP']['protocolPositions'][number]

/** When it can be claimed: now, from a moment on, or unknown. */
type Claim = 'now' | 'later' | 'unknown'

/** One part of an airdrop with the names that it stands under. */
export type Drop = { key: string; protocol: string; name: string; claim: Claim; asset: Position['assets'][number] }

/** All parts of an answer: what can be claimed now, then by when it can be, then what is unknown; each by value. */
export function dropsOf({ assetByProtocols }: Pick<Airdrops, 'assetByProtocols'>): Drop[] {
  const drops = Object.entries(assetByProtocols).flatMap(([protocolKey, { name: protocol, chains }]) =>
    Object.entries(chains).flatMap(([chain, { protocolPositions }]) =>
      protocolPositions.AIRDROP.protocolPositions.flatMap(({ name, assets }, at) =>
        assets.map((asset, place) => ({
          key: `${protocolKey} ${chain} ${at} ${place}`,
          protocol,
          name,
          claim: claimOf(asset),
          asset,
        })),
      ),
    ),
  )
  return drops.sort(byClaim)
}

/** USD of what can be claimed now, and how many parts of it have no price; unknown where none has one. */
export function claimableNow(networth: string, drops: readonly Drop[]): { worth: string; unpriced: number } {
  const claimable = drops.filter(({ claim }) => claim === 'now')
  const unpriced = claimable.filter(({ asset }) => !isPriced(asset)).length
  return { worth: unpriced > 0 && unpriced === claimable.length ? 'N/A' : networth, unpriced }
}

function claimOf({ isClaimable, unlockAt }: Drop['asset']): Claim {
  if (isClaimable) return 'now'
  return unlockAt === '0' ? 'unknown' : 'later'
}

const RANKS = { now: 0, later: 1, unknown: 2 } as const

const byClaim = (a: Drop, b: Drop): number =>
  RANKS[a.claim] - RANKS[b.claim] ||
  (a.claim === 'later' ? compareDecimals(a.asset.unlockAt, b.asset.unlockAt) : 0) ||
  compareDecimals(b.asset.value, a.asset.value)
