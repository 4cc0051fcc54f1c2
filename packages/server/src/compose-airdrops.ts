import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import { createAirdropViews } from './features/airdrops/airdrop-views.ts'
import { createReadAirdrops } from './features/airdrops/valued-airdrops.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { Clock } from './lib/clock.ts'

/** The chain whose airdrops are listed. */
const CHAIN = 'solana'

/** Composes the views of airdrops. */
export function composeAirdrops({
  config,
  reading: { readingOf, rates },
  clock,
}: {
  config: Pick<Config, 'chains'>
  reading: Pick<Reading, 'readingOf' | 'rates'>
  clock: Clock
}) {
  const chain = byKey(config.chains).get(CHAIN)
  if (!chain) throw new Error(`${CHAIN} is not in the catalog of chains`)
  const airdrops = readingOf(CHAIN)?.airdrops
  const read = airdrops && createReadAirdrops({ chain: CHAIN, airdrops, usdPerEach: rates.usdPerEach, clock })
  return createAirdropViews({ chain, read })
}
