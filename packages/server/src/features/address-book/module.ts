import { poolsOfType } from '../../wallets/pools-of-type.ts'
import type { Module, Ports } from '../module.ts'
import { addressBookRoutes } from './address-book-routes.ts'
import { bundleRoutes } from './bundle-routes.ts'
import { createKeptEntries } from './kept-entries.ts'
import { portalAddressBookRoutes } from './portal-address-book-routes.ts'

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
