import { Failure } from '@coffer/contract'
import type { Rate } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'

/** Per minute: for one user from anywhere, and from one network. */
const PER_USER = 5
const PER_NETWORK = 20

type Take = (subject: string, limit: number) => Rate | Promise<Rate>

export type SignInLimits = ReturnType<typeof createSignInLimits>

/** Throws RATE_LIMITED. */
export function createSignInLimits(take: Take) {
  async function count(subject: string, limit: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await take(subject, limit)
    if (!allowed) throw new Failure('RATE_LIMITED', 'Too many attempts to sign in', { retryAfterSeconds })
  }
  return {
    ofUser: (user: string) => count(`sign-in:${user.toLowerCase().slice(0, 100)}`, PER_USER),
    fromNetwork: (address: string) => count(`sign-in-from:${callerNetwork(address)}`, PER_NETWORK),
  }
}
