import { Failure } from '@coffer/contract'
import { callerNetwork } from '../../lib/caller-network.ts'
import type { PortalUsers } from './context.ts'

/** Per minute: for one user from anywhere, and from one network. */
const PER_USER = 5
const PER_NETWORK = 20

export const limitUser = (context: PortalUsers, user: string) =>
  count(context, `sign-in:${user.toLowerCase().slice(0, 100)}`, PER_USER)

export const limitNetwork = (context: PortalUsers, address: string) =>
  count(context, `sign-in-from:${callerNetwork(address)}`, PER_NETWORK)

/** Throws RATE_LIMITED. */
async function count({ take }: PortalUsers, subject: string, limit: number): Promise<void> {
  const { allowed, retryAfterSeconds } = await take(subject, limit)
  if (!allowed) throw new Failure('RATE_LIMITED', 'Too many attempts to sign in', { retryAfterSeconds })
}
