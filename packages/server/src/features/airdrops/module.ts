import type { Chain } from '../../kinds/chain.ts'
import { byKey } from '../../kinds/chain-catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Reading } from '../../reading/open-reading.ts'
import type { OriginIconUrls } from '../icons/icon-urls.ts'
import type { Module } from '../module.ts'
import { airdropRoutes } from './airdrop-routes.ts'
import { createAirdropViews } from './airdrop-views.ts'
import { createReadAirdrops } from './valued-airdrops.ts'

/** The chain whose airdrops are listed. */
const CHAIN = 'solana'

/** Airdrops of wallets. */
export function airdropModule({
  config: { chains },
  reading: { readingOf, rates },
  iconUrls,
  clock,
}: {
  config: { chains: readonly Chain[] }
  reading: Pick<Reading, 'readingOf' | 'rates'>
  iconUrls: OriginIconUrls
  clock: Clock
}) {
  const chain = byKey(chains).get(CHAIN)
  if (!chain) throw new Error(`${CHAIN} is not in the catalog of chains`)
  const airdrops = readingOf(CHAIN)?.airdrops
  const read = airdrops && createReadAirdrops({ chain: CHAIN, airdrops, usdPerEach: rates.usdPerEach, clock })
  return { handlers: airdropRoutes({ views: createAirdropViews({ chain, read }), iconUrls }) } satisfies Module
}
