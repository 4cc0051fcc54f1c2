import type { airdropEndpoints } from '@coffer/contract'
import { byKey } from '../../chains/chain-catalog.ts'
import type { Handlers } from '../../http/mount.ts'
import type { IconUrls } from '../icons/icons.ts'
import type { Module, Ports } from '../module.ts'
import { type AirdropViews, createAirdropViews, createReadAirdrops } from './airdrops.ts'

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

function airdropRoutes({
  views,
  iconUrls,
}: {
  views: AirdropViews
  iconUrls(origin: string): IconUrls
}): Handlers<ReturnType<typeof airdropEndpoints>> {
  return {
    getAirdrops: {
      prepare: () => views.check(),
      handle: ({ query, origin }) => views.list(query.addresses, iconUrls(origin)),
    },
  }
}
