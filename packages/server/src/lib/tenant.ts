import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string>()

/** The account that a request belongs to. Jobs have none. */
export type Tenant = string | undefined

/** `http/mount.ts` calls it for each request; everything that follows asynchronously has this tenant. */
export function withTenant<T>(tenant: string, work: () => T): T {
  return storage.run(tenant, work)
}

export const currentTenant = (): Tenant => storage.getStore()
