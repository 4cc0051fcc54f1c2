import type { Module, Ports } from '../module.ts'
import type { Peppers } from './peppers.ts'
import { portalKeyRoutes } from './portal-key-routes.ts'

export function keyModule({
  database: { db },
  peppers,
  refuseKey,
}: Pick<Ports, 'database'> & { peppers: Peppers; refuseKey(keyId: string): void }) {
  return { portal: portalKeyRoutes({ db, peppers, refuseKey }) } satisfies Module
}
