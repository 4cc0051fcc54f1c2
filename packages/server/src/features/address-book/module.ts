import { poolsOfType } from '../../wallets/open-pools.ts'
import type { Module, Ports } from '../module.ts'
import { addressBookRoutes, bundleRoutes, portalAddressBookRoutes } from './address-book-routes.ts'
import { createKeptEntries } from './kept-entries.ts'

export function addressBookModule({
  database: { db },
  change,
  chainTypes,
  reading,
}: Pick<Ports, 'database' | 'change' | 'chainTypes' | 'reading'>) {
  const entries = createKeptEntries({ db, chainTypes, poolsOf: poolsOfType(reading) })
  return {
    handlers: { ...addressBookRoutes({ db, change }), ...bundleRoutes({ db, change }) },
    portal: portalAddressBookRoutes({ entries }),
  } satisfies Module
}
