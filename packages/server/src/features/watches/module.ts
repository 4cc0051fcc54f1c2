import type { Requirement } from '@coffer/contract'
import type { Caller } from '../../http/gates.ts'
import type { Module, Ports } from '../module.ts'
import { createCheckAirdrops } from './check-airdrops.ts'
import { checkCredits } from './check-credits.ts'
import { createCheckWallets } from './check-wallets.ts'
import { createWatches, NEEDS } from './watches.ts'

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
  const watches = createWatches({ db, facts })
  const chain = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const airdrops = reading.readingOf(chain)?.airdrops
  const checks = {
    'watch-wallets': createCheckWallets({ db, portfolios, reading, clock }),
    'watch-credits': () => checkCredits(db),
    ...(airdrops && { 'watch-airdrops': createCheckAirdrops({ db, chain, airdrops }) }),
  }
  return {
    handlers: {
      listWatches: async ({ caller }) => ({ data: await watches.list(caller.accountId) }),
      async createWatch({ caller, body }) {
        authorize(caller, NEEDS[body.type])
        return { data: await watches.create(caller.accountId, body) }
      },
      removeWatch: ({ caller, params }) => watches.remove({ accountId: caller.accountId, id: params.watchId }),
    },
    jobs: Object.entries(checks).map(([name, handler]) => ({
      name,
      handler,
      options: ONCE,
      everySeconds: EVERY_SECONDS,
    })),
  } satisfies Module
}

type Authorize = (caller: Pick<Caller, 'plan' | 'entitlements'>, requirement: Requirement) => void
