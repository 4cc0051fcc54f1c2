import type { Database } from '../../db/database.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { Module } from '../module.ts'
import { addressBookRoutes } from './address-book-routes.ts'
import { bundleRoutes } from './bundle-routes.ts'

/** Address books and bundles of accounts. */
export function addressBookModule({
  database: { db },
  change,
}: {
  database: Pick<Database, 'db'>
  change: PaidChanges
}) {
  return { handlers: { ...addressBookRoutes({ db, change }), ...bundleRoutes({ db, change }) } } satisfies Module
}
