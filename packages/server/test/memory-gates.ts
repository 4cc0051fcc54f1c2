import { type Bucket, Failure } from '@coffer/contract'
import type { Caller, Gates, Rate } from '../src/http/gates.ts'

const WINDOW_MS = 60_000
const LIMITS: Record<Bucket | 'anonymous' | 'file', number> = {
  default: 360,
  portfolio: 360,
  beacon: 100,
  anonymous: 60,
  file: 1_200,
}

export type MemoryAccount = Partial<Pick<Caller, 'plan' | 'entitlements' | 'rateLimits'>> & { credits?: number }

type Money = { available: number; held: number; posted: number; openHolds: number }

/** An account's key is its name. As exact and strict as the real gates: a hold ends once. */
export function createMemoryGates({ now = () => Date.now() }: { now?: () => number } = {}) {
  const callers = new Map<string, Caller>()
  const money = new Map<string, Money>()
  const moves = new Map<string, number>()
  const windows = new Map<string, { endsAt: number; count: number }>()

  function addAccount(name: string, { credits = 1_000, ...access }: MemoryAccount = {}): { authorization: string } {
    const caller: Caller = { accountId: name, keyId: name, plan: 'FREE', entitlements: [], rateLimits: {}, ...access }
    callers.set(name, caller)
    money.set(name, { available: credits, held: 0, posted: 0, openHolds: 0 })
    return { authorization: `Bearer ${name}` }
  }

  function moneyOf(name: string): Money {
    const account = money.get(name)
    if (!account) throw new Error(`no account ${name}`)
    return account
  }

  const movesOf = (name: string): number => moves.get(name) ?? 0

  function windowOf(name: string, limit: number): Rate {
    let window = windows.get(name)
    if (!window || window.endsAt <= now()) {
      window = { endsAt: now() + WINDOW_MS, count: 0 }
      windows.set(name, window)
    }
    const allowed = window.count < limit
    if (allowed) window.count += 1
    return {
      allowed,
      limit,
      remaining: limit - window.count,
      resetAt: Math.ceil(window.endsAt / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now()) / 1000)),
    }
  }

  function take(caller: Caller, cost: number): Money {
    const account = moneyOf(caller.accountId)
    if (account.available < cost) {
      const extras = { creditsRequired: cost, creditsAvailable: account.available }
      throw new Failure('INSUFFICIENT_CREDITS', 'Not enough credits', extras)
    }
    account.available -= cost
    moves.set(caller.accountId, movesOf(caller.accountId) + 1)
    return account
  }

  const refundOf = (account: Money, cost: number) => ({
    async giveBack() {
      account.posted -= cost
      account.available += cost
    },
  })

  const gates: Gates = {
    authenticate(authorization) {
      const caller = callers.get(/^bearer (\w+)$/i.exec(authorization ?? '')?.[1] ?? '')
      if (!caller) throw new Failure('UNAUTHORIZED', 'Unauthorized')
      return caller
    },
    limit: (caller, bucket) => windowOf(`${caller.keyId} ${bucket}`, caller.rateLimits[bucket] ?? LIMITS[bucket]),
    limitAnonymous: (ip, kind = 'call') => windowOf(`${kind} ${ip}`, LIMITS[kind === 'call' ? 'anonymous' : 'file']),
    async charge(caller, cost) {
      const account = take(caller, cost)
      account.posted += cost
      return refundOf(account, cost)
    },
    async hold(caller, cost) {
      const account = take(caller, cost)
      account.held += cost
      account.openHolds += 1
      let open = true
      const end = () => {
        if (!open) throw new Error('the hold has ended already')
        open = false
        account.held -= cost
        account.openHolds -= 1
      }
      return {
        async post() {
          end()
          account.posted += cost
          return refundOf(account, cost)
        },
        async giveBack() {
          end()
          account.available += cost
        },
      }
    },
  }

  return { gates, addAccount, moneyOf, movesOf }
}
