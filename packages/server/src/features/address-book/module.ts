import { poolsOfType } from '../../wallets/open-pools.ts'
import type { Module, Ports } from '../module.ts'
import { addressBookRoutes, bundleRoutes, portalAddressBookRoutes } from './address-book-routes.ts'

export function addressBookModule({
  database: { db },
  change,
  chainTypes,
  reading,
}: Pick<Ports, 'database' | 'change' | 'chainTypes' | 'reading'>) {
  return {
    handlers: { ...addressBookRoutes({ db, change }), ...bundleRoutes({ db, change }) },
    portal: portalAddressBookRoutes({ db, chainTypes, poolsOf: poolsOfType(reading) }),
  } satisfies Module
}
