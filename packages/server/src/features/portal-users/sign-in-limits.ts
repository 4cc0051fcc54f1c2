import { Failure } from '@coffer/contract'
import type { Rate } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'

/** Passwords that may be tried per minute: for one user, whoever tries, and from one network. */
const PER_USER = 5
const PER_NETWORK = 20

type Take = (subject: string, limit: number) => Rate | Promise<Rate>

/** Counts an attempt to sign in; RATE_LIMITED when there were too many. */
export function createSignInLimits(take: Take) {
  return async (userName: string, address: string): Promise<void> => {
    const windows = await Promise.all([
      take(`sign-in:${userName.toLowerCase().slice(0, 100)}`, PER_USER),
      take(`sign-in-from:${callerNetwork(address)}`, PER_NETWORK),
    ])
    const full = windows.find(({ allowed }) => !allowed)
    if (!full) return
    const { retryAfterSeconds } = full
    throw new Failure('RATE_LIMITED', 'Too many attempts to sign in', { retryAfterSeconds })
  }
}
