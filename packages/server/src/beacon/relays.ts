import { httpRequest } from '../lib/http-client.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { isFields, parseAmount, parseHex } from './beacon-request.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1_000_000

/** null: no relay delivered the block. Rejects if none did and one failed, as that one may have. */
export async function deliveredWei(relays: readonly string[], blockHash: string): Promise<bigint | null> {
  const answers = await Promise.allSettled(relays.map((url, i) => ask(url, `relay#${i + 1}`, blockHash)))
  const paid = answers.find((answer) => answer.status === 'fulfilled' && answer.value !== null)
  if (paid?.status === 'fulfilled') return paid.value
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return null
}

async function ask(url: string, label: string, blockHash: string): Promise<bigint | null> {
  const { status, body } = await httpRequest({
    url: `${url.replace(/\/+$/, '')}/relay/v1/data/bidtraces/proposer_payload_delivered?block_hash=${blockHash}`,
    headers: { accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  })
  if (status === 429) throw new UpstreamError('rate-limited', `${label} asks for fewer requests`)
  if (status !== 200) throw new UpstreamError('unavailable', `HTTP ${status} of ${label}`)
  const delivered = parseDelivered(body, label).find(
    (row) => parseHex(row['block_hash'], 'block_hash', 32) === blockHash,
  )
  return delivered ? parseAmount(delivered['value'], 'value') : null
}

function parseDelivered(body: string, label: string): Record<string, unknown>[] {
  try {
    const rows: unknown = JSON.parse(body)
    if (Array.isArray(rows) && rows.every(isFields)) return rows
  } catch {
    // Handled below.
  }
  throw new UpstreamError('invalid', `${label} did not answer with a list`)
}
