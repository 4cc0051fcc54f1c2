import { CHALLENGE_SECONDS } from './challenges.ts'
import { COOKIE_SECONDS } from './sessions.ts'
import type { Begun } from './sign-ins.ts'

const TOKEN = /^[\w-]{43}$/

const SESSION = 'coffer'
/** Binds a flow at the issuer to this browser. */
const FLOW = 'coffer-openid'
type CookieName = typeof SESSION | typeof FLOW

const isSecure = (origin: string) => origin.startsWith('https:')

/** `__Host-` makes the browser keep the cookie to this host and to https. */
const nameFor = (name: CookieName, origin: string) => (isSecure(origin) ? `__Host-${name}` : name)

function setCookie(name: CookieName, origin: string, { token, seconds }: { token: string; seconds: number }): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure(origin) ? '; Secure' : ''}`
  return `${nameFor(name, origin)}=${token}; ${attributes}; Max-Age=${seconds}`
}

function tokenIn(header: string | undefined, origin: string, cookie: CookieName): string | undefined {
  const name = `${nameFor(cookie, origin)}=`
  const parts = (header ?? '').split(';').map((part) => part.trim())
  const own = parts.filter((part) => part.startsWith(name))
  // Another party set one of two such cookies.
  const token = own.length === 1 ? own[0]?.slice(name.length) : undefined
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

export const cookieIn = (header: string | undefined, origin: string) => tokenIn(header, origin, SESSION)

export const sessionCookie = (token: string, origin: string): string =>
  setCookie(SESSION, origin, { token, seconds: COOKIE_SECONDS })

export const signedInAnswer = ({ token, view }: Begun, origin: string) => ({
  body: view,
  headers: { 'set-cookie': sessionCookie(token, origin) },
})

export const noCookie = (origin: string): string => setCookie(SESSION, origin, { token: '', seconds: 0 })

export const flowIn = (header: string | undefined, origin: string) => tokenIn(header, origin, FLOW)

export const flowCookie = (token: string, origin: string): string =>
  setCookie(FLOW, origin, { token, seconds: CHALLENGE_SECONDS })

export const noFlowCookie = (origin: string): string => setCookie(FLOW, origin, { token: '', seconds: 0 })
