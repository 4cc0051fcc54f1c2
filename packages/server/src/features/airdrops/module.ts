import { byKey } from '../../chains/chain-catalog.ts'
import type { Module, Ports } from '../module.ts'
import { enabledAirdrops, listAirdrops } from './airdrops.ts'

export function airdropModule({
  config: { chains },
  chainTypes,
  reading: { readingOf, rates },
  iconUrls,
  clock,
}: Ports) {
  const key = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const chain = byKey(chains).get(key)
  const context = { chain, find: readingOf(key)?.airdrops, usdPerEach: rates.usdPerEach, clock }
  return {
    handlers: {
      getAirdrops: {
        prepare: () => void enabledAirdrops(context),
        handle: ({ query, origin }) => listAirdrops(context, query.addresses, iconUrls(origin)),
      },
    },
  } satisfies Module
}
