import { expect } from 'vitest'
import type { Db } from '../src/db/tables.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { ledgerLines } from '../src/features/credits/ledger.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { patientFetch } from './harness.ts'

export type Answer = { status: number; body: unknown }

/** Far above what tests use. */
const NO_RATE_LIMIT = 10_000_000

/** Calls without an SDK. Texts are sent unchanged, anything else as JSON; `undefined` sends an empty request. */
type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

export type OwnAccount = {
  id: string
  call: Call
  /** The same account at another process of the service. */
  callAt(url: string): Call
  /** After the first credits: `charge 1`, `refund 1`, … */
  ledger(): Promise<string[]>
}

/** Plan FREE, with portfolio access. */
export async function ownAccount(
  { db, url }: { db: Db; url: string },
  { credits = 100_000 }: { credits?: number } = {},
): Promise<OwnAccount> {
  const { id } = await createAccount(db, { name: 'own', plan: 'FREE', entitlements: ['portfolio'], credits })
  const rate = { rate_limit_default: NO_RATE_LIMIT, rate_limit_portfolio: NO_RATE_LIMIT }
  await db.updateTable('account').set(rate).where('id', '=', BigInt(id)).execute()
  const { key } = await createKey(db, await openPeppers(db, []), { accountId: id, name: 'own' })
  const callAt = (at: string) => callWith(at, key)
  return {
    id,
    call: callAt(url),
    callAt,
    async ledger() {
      const lines: string[] = []
      for await (const { kind, amount } of ledgerLines(db, id)) lines.push(`${kind} ${amount}`)
      return lines.filter((line) => !line.startsWith('grant'))
    },
  }
}

function callWith(url: string, key: string): Call {
  return async (method, path, body) => {
    const response = await patientFetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
}

/** Refusals of address book and bundles. */
export const coded = (code: string, extras: object = {}) => ({
  error: { code, message: expect.any(String), ...extras },
})
