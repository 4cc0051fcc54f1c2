import type { Requirement } from '@coffer/contract'
import type { Caller } from '../../http/gates.ts'
import type { Module, Ports } from '../module.ts'
import { checkAirdrops } from './check-airdrops.ts'
import { checkCredits } from './check-credits.ts'
import { checkWallets } from './check-wallets.ts'
import { selectWatches } from './watch-store.ts'
import { createWatch, NEEDS, removeWatch } from './watches.ts'

const TERMS = { everySeconds: 60, options: { retryLimit: 0 } }

type OwnPorts = Ports & {
  config: { beacon: object | null }
  authorize(caller: Caller, requirement: Requirement): void
}

export function watchModule({ config, chainTypes, database: { db }, reading, authorize, ...ports }: OwnPorts) {
  const facts = { chains: reading.enabled, chainTypes, hasBeacon: config.beacon !== null }
  const chain = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const airdrops = reading.readingOf(chain)?.airdrops
  const checks = {
    'watch-wallets': (signal: AbortSignal) => checkWallets({ ...ports, db, reading }, signal),
    'watch-credits': () => checkCredits(db),
    ...(airdrops && { 'watch-airdrops': (signal: AbortSignal) => checkAirdrops({ db, chain, airdrops }, signal) }),
  }
  return {
    handlers: {
      listWatches: async ({ caller }) => ({ data: await selectWatches(db, caller.accountId) }),
      async createWatch({ caller, body }) {
        authorize(caller, NEEDS[body.type])
        return { data: await createWatch(db, facts, caller.accountId, body) }
      },
      removeWatch: ({ caller, params }) => removeWatch(db, { accountId: caller.accountId, id: params.watchId }),
    },
    jobs: Object.entries(checks).map(([name, handler]) => ({ name, handler, ...TERMS })),
  } satisfies Module
}
