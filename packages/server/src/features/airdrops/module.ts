import type { Chain } from '../../kinds/chain.ts'
import { byKey } from '../../kinds/chain-catalog.ts'
import type { ChainKinds } from '../../kinds/kind.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Reading } from '../../reading/open-reading.ts'
import type { OriginIconUrls } from '../icons/icon-urls.ts'
import type { Module } from '../module.ts'
import { airdropRoutes } from './airdrop-routes.ts'
import { createAirdropViews } from './airdrop-views.ts'
import { createReadAirdrops } from './valued-airdrops.ts'

/** Airdrops of wallets, which are listed on one chain. */
export function airdropModule({
  config: { chains },
  kinds,
  reading: { readingOf, rates },
  iconUrls,
  clock,
}: {
  config: { chains: readonly Chain[] }
  kinds: Pick<ChainKinds, 'list'>
  reading: Pick<Reading, 'readingOf' | 'rates'>
  iconUrls: OriginIconUrls
  clock: Clock
}) {
  const key = kinds.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const chain = byKey(chains).get(key)
  const airdrops = readingOf(key)?.airdrops
  const read = airdrops && createReadAirdrops({ chain: key, airdrops, usdPerEach: rates.usdPerEach, clock })
  return { handlers: airdropRoutes({ views: createAirdropViews({ chain, read }), iconUrls }) } satisfies Module
}
