import { Failure } from '@coffer/contract'
import { type PortalRequirement, ROLES, type Role, rowId } from '@coffer/contract/portal'
import type { Db } from '../../db/tables.ts'
import type { DoorRequest, Gates, PortalCaller, Rate } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import { FLOW, SESSION, tokenIn } from './session-cookie.ts'
import { findSession } from './sessions.ts'

/** Per minute, over all sessions: some 60 screens of 12 requests. */
const USER_LIMIT = 720
/** However many members an account has. */
const USERS_PER_ACCOUNT = 3
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const AGENT_MAX = 300

export type DoorPorts = { database: { db: Db }; gates: Gates; rateLimits: RateLimits }

export async function identify(db: Db, request: DoorRequest): Promise<PortalCaller> {
  refuseOtherSites(request)
  const { site } = request
  const token = tokenIn(request.headers.cookie, site.origin, SESSION)
  const flow = tokenIn(request.headers.cookie, site.origin, FLOW)
  const from = { address: request.ip, agent: (request.headers['user-agent'] ?? '').slice(0, AGENT_MAX) }
  const found = token === undefined ? undefined : await findSession(db, token, accountOf(request.params))
  const session = found?.session
  // Work outside accounts counts against the user.
  const by = session ? `user:${session.userId}` : `stranger:${callerNetwork(from.address)}`
  return {
    session,
    from,
    flow,
    site,
    role: found?.role ?? undefined,
    accountId: found?.accountId ?? by,
    keyId: session ? `session:${session.id}` : by,
    plan: found?.plan ?? 'FREE',
    entitlements: found?.entitlements ?? [],
    rateLimits: {},
  }
}

export function limit({ gates, rateLimits }: DoorPorts, caller: PortalCaller): Rate | Promise<Rate> {
  const { session, role, accountId, from } = caller
  if (!session) return gates.limitAnonymous(from.address)
  const user = { subject: `user:${session.userId}`, limit: USER_LIMIT }
  if (role === undefined) return rateLimits.take(user.subject, user.limit)
  return rateLimits.takeBoth(user, { subject: `portal:${accountId}`, limit: USER_LIMIT * USERS_PER_ACCOUNT })
}

/** Refuses requests that another site sends, or makes a browser send. Old browsers send only `Origin`. */
function refuseOtherSites({ method, headers, site: { origin } }: DoorRequest): void {
  const from = headers['sec-fetch-site']
  if (SAFE_METHODS.has(method)) {
    if (from === undefined || from === 'same-origin' || from === 'none') return
  } else if (from === undefined ? headers.origin === origin : from === 'same-origin') return
  if (from === undefined) refuseOtherOrigin(headers.origin, origin)
  throw new Failure('FORBIDDEN', 'The portal answers only its own pages')
}

/** The page is of another site, or a proxy forwards too little. */
function refuseOtherOrigin(page: string | undefined, origin: string): void {
  if (page === undefined || !URL.canParse(page)) return
  throw new Failure(
    'FORBIDDEN',
    `The page is at ${new URL(page).origin}, but the service expects ${origin}: set COFFER_PUBLIC_URL to the address that browsers use, or add the proxy to COFFER_TRUST_PROXY`,
  )
}

export function authorize({ session, role, site }: PortalCaller, { who, proof, knownSite }: PortalRequirement): void {
  if (knownSite && !site.isKnown) throw unknownSite(site)
  if (who === 'anyone') return
  if (!session) throw new Failure('UNAUTHORIZED', 'Not signed in')
  if (who === 'operator' && !session.isOperator) throw new Failure('FORBIDDEN', 'Only operators may do this')
  if (who !== 'operator' && who !== 'user') requireRole(role, who)
  if (proof && session.provedUntil === null) {
    throw new Failure('PROOF_REQUIRED', 'Confirm your identity and repeat the request')
  }
}

function requireRole(role: Role | undefined, least: Role): void {
  if (role === undefined) throw new Failure('NOT_FOUND', 'No such account')
  if (ROLES.indexOf(role) < ROLES.indexOf(least)) throw new Failure('FORBIDDEN', `This requires the role ${least}`)
}

const unknownSite = ({ origin }: PortalCaller['site']) =>
  new Failure(
    'FORBIDDEN',
    `No one can sign in here until the service knows its address: set COFFER_PUBLIC_URL=${origin} and start it again`,
  )

function accountOf(params: unknown): string | undefined {
  const { account } = Object(params) as { account?: unknown }
  if (account === undefined) return undefined
  // No account has the ID 0.
  return rowId.safeParse(account).data ?? '0'
}
