import { expect } from 'vitest'
import type { Db } from '../src/db/tables.ts'
import { ledgerLines } from '../src/features/credits/ledger.ts'
import { patientFetch } from './harness.ts'
import { keyedAccount } from './ledger/accounts.ts'

export type Answer = { status: number; body: unknown }

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
  const { id, key } = await keyedAccount(db, { credits })
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

export function callWith(url: string, key: string): Call {
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

/** Of address book and bundles. */
export const ok = (data: unknown, status = 200): Answer => ({ status, body: { data } })

/** Of address book and bundles. */
export const refusal = (status: number, code: string, extras: object = {}): Answer => ({
  status,
  body: { error: { code, message: expect.any(String), ...extras } },
})
