import type { V1Answer } from '../../api/types.ts'
import { isPriced } from '../../lib/assets.ts'
import { compareDecimals } from '../../lib/pixels.ts'

export type Airdrops = V1Answer<'GET', '/v1/airdrop'>[number]
type Position =
  Airdrops['assetByProtocols'][string]['chains'][string]['protocolPositions']['AIRDROP']['protocolPositions'][number]

type Claim = 'now' | 'later' | 'unknown'

export type Drop = { key: string; protocol: string; name: string; claim: Claim; asset: Position['assets'][number] }

/** Lists all parts: claimable now, then by date, then unknown; each by value. */
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

/** USD claimable now and the number of unpriced parts; unknown if all are unpriced. */
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
