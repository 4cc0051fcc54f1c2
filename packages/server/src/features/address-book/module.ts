import type { Module, Ports } from '../module.ts'
import { addressBookRoutes } from './address-book-routes.ts'
import { bundleRoutes } from './bundle-routes.ts'

/** Address books and bundles of accounts. */
export function addressBookModule({ database: { db }, change }: Pick<Ports, 'database' | 'change'>) {
  return { handlers: { ...addressBookRoutes({ db, change }), ...bundleRoutes({ db, change }) } } satisfies Module
}
