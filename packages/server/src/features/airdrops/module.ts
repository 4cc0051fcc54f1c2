import { byKey } from '../../chains/chain-catalog.ts'
import type { Module, Ports } from '../module.ts'
import { airdropRoutes } from './airdrop-routes.ts'
import { createAirdropViews } from './airdrop-views.ts'
import { createReadAirdrops } from './valued-airdrops.ts'

/** Airdrops are read on one chain only. */
export function airdropModule({
  config: { chains },
  chainTypes,
  reading: { readingOf, rates },
  iconUrls,
  clock,
}: Pick<Ports, 'config' | 'chainTypes' | 'reading' | 'iconUrls' | 'clock'>) {
  const key = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const chain = byKey(chains).get(key)
  const airdrops = readingOf(key)?.airdrops
  const read = airdrops && createReadAirdrops({ chain: key, airdrops, usdPerEach: rates.usdPerEach, clock })
  return { handlers: airdropRoutes({ views: createAirdropViews({ chain, read }), iconUrls }) } satisfies Module
}
