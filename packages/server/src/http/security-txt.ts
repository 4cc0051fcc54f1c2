import type { Clock } from '../lib/clock.ts'
import type { PublicRoute } from './public-files.ts'
import { createStaticFile } from './static-file.ts'

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180
const DAY_MS = 86_400_000
const HEADERS = { 'cache-control': 'public, max-age=86400' }

/** RFC 9116: where to report a vulnerability of this installation. */
export function securityRoutes(contacts: readonly string[], clock: Clock): PublicRoute[] {
  if (contacts.length === 0) return []
  const today = () => Math.floor(clock.now() / DAY_MS) * DAY_MS
  const text = () => {
    const expires = new Date(today() + VALID_DAYS * DAY_MS).toISOString().replace('.000Z', 'Z')
    return [...contacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires}`, ''].join('\n')
  }
  const file = () => createStaticFile({ contentType: 'text/plain; charset=utf-8', body: text(), headers: HEADERS })
  return [{ path: '/.well-known/security.txt', file }]
}
