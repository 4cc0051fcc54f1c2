import type { ChainKind } from '../../kinds/kind.ts'
import type { Module, Ports } from '../module.ts'
import { addressBookRoutes } from './address-book-routes.ts'
import { bundleRoutes } from './bundle-routes.ts'
import { createKeptEntries } from './kept-entries.ts'
import { portalAddressBookRoutes } from './portal-address-book-routes.ts'

/** Address books and bundles of accounts. */
export function addressBookModule({
  database: { db },
  change,
  kinds,
  reading: { enabled, pools },
}: Pick<Ports, 'database' | 'change' | 'kinds' | 'reading'>) {
  const poolsOf = ({ name }: ChainKind) => {
    const own = new Set(enabled.filter(({ family }) => family === name).map(({ key }) => key))
    return new Map([...pools].filter(([key]) => own.has(key)))
  }
  const entries = createKeptEntries({ db, kinds, poolsOf })
  return {
    handlers: { ...addressBookRoutes({ db, change }), ...bundleRoutes({ db, change }) },
    portal: portalAddressBookRoutes({ entries }),
  } satisfies Module
}
