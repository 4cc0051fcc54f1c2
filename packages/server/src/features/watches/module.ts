import type { Module, Ports } from '../module.ts'
import { createCheckAirdrops } from './check-airdrops.ts'
import { checkCredits } from './check-credits.ts'
import { createCheckWallets } from './check-wallets.ts'
import { type Authorize, watchRoutes } from './watch-routes.ts'
import { createWatches } from './watches.ts'

const EVERY_SECONDS = 60
const ONCE = { retryLimit: 0 }

export function watchModule({
  config: { beacon },
  chainTypes,
  database: { db },
  reading,
  portfolios,
  authorize,
  clock,
}: Pick<Ports, 'chainTypes' | 'database' | 'reading' | 'portfolios' | 'clock'> & {
  config: { beacon: object | null }
  authorize: Authorize
}) {
  const facts = { chains: reading.enabled, chainTypes, hasBeacon: beacon !== null }
  const chain = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const airdrops = reading.readingOf(chain)?.airdrops
  const checks = {
    'watch-wallets': createCheckWallets({ db, portfolios, reading, clock }),
    'watch-credits': () => checkCredits(db),
    ...(airdrops && { 'watch-airdrops': createCheckAirdrops({ db, chain, airdrops }) }),
  }
  return {
    handlers: watchRoutes({ watches: createWatches({ db, facts }), authorize }),
    jobs: Object.entries(checks).map(([name, handler]) => ({
      name,
      handler,
      options: ONCE,
      everySeconds: EVERY_SECONDS,
    })),
  } satisfies Module
}
