import { CHALLENGE_SECONDS } from './challenges.ts'
import { COOKIE_SECONDS } from './sessions.ts'

const TOKEN = /^[\w-]{43}$/

const SESSION = 'coffer'
/** Binds what was begun at an issuer to this browser. */
const FLOW = 'coffer-openid'
type CookieName = typeof SESSION | typeof FLOW

const isSecure = (origin: string) => origin.startsWith('https:')

/** Over https the browser itself keeps the cookie to this host and to https. */
const nameFor = (name: CookieName, origin: string) => (isSecure(origin) ? `__Host-${name}` : name)

function setCookie(name: CookieName, origin: string, { token, seconds }: { token: string; seconds: number }): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure(origin) ? '; Secure' : ''}`
  return `${nameFor(name, origin)}=${token}; ${attributes}; Max-Age=${seconds}`
}

function tokenIn(header: string | undefined, origin: string, cookie: CookieName): string | undefined {
  const name = `${nameFor(cookie, origin)}=`
  const own =
    header
      ?.split(';')
      .map((part) => part.trim())
      .filter((part) => part.startsWith(name)) ?? []
  // Two of one name: one of them was put there by another.
  const token = own.length === 1 ? own[0]?.slice(name.length) : undefined
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

/** The token of the session in a `Cookie` header. */
export const cookieIn = (header: string | undefined, origin: string) => tokenIn(header, origin, SESSION)

/** The `Set-Cookie` header of a new session. */
export const sessionCookie = (token: string, origin: string): string =>
  setCookie(SESSION, origin, { token, seconds: COOKIE_SECONDS })

/** The `Set-Cookie` header that removes it. */
export const noCookie = (origin: string): string => setCookie(SESSION, origin, { token: '', seconds: 0 })

/** The token of what was begun at an issuer in a `Cookie` header. */
export const flowIn = (header: string | undefined, origin: string) => tokenIn(header, origin, FLOW)

/**
 * The `Set-Cookie` header of what is begun at an issuer. It is not sent with the issuer's redirect, but with the call of the
 * page that this leads to.
 */
export const flowCookie = (token: string, origin: string): string =>
  setCookie(FLOW, origin, { token, seconds: CHALLENGE_SECONDS })

/** The `Set-Cookie` header that removes it. */
export const noFlowCookie = (origin: string): string => setCookie(FLOW, origin, { token: '', seconds: 0 })
