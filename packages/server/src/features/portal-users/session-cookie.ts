import { CHALLENGE_SECONDS } from './challenges.ts'
import { COOKIE_SECONDS } from './sessions.ts'
import type { Begun } from './sign-ins.ts'

const TOKEN = /^[\w-]{43}$/

type Cookie = { name: string; seconds: number }

export const SESSION: Cookie = { name: 'coffer', seconds: COOKIE_SECONDS }
/** Binds a flow at the issuer to this browser. */
export const FLOW: Cookie = { name: 'coffer-openid', seconds: CHALLENGE_SECONDS }

const isSecure = (origin: string) => origin.startsWith('https:')

/** `__Host-` makes the browser keep the cookie to this host and to https. */
const nameFor = ({ name }: Cookie, origin: string) => (isSecure(origin) ? `__Host-${name}` : name)

export function setCookie(cookie: Cookie, origin: string, token: string) {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure(origin) ? '; Secure' : ''}`
  return { 'set-cookie': `${nameFor(cookie, origin)}=${token}; ${attributes}; Max-Age=${cookie.seconds}` }
}

export const endCookie = ({ name }: Cookie, origin: string) => setCookie({ name, seconds: 0 }, origin, '')

export function tokenIn(header: string | undefined, origin: string, cookie: Cookie): string | undefined {
  const name = `${nameFor(cookie, origin)}=`
  const parts = (header ?? '').split(';').map((part) => part.trim())
  const own = parts.filter((part) => part.startsWith(name))
  // Another party set one of two such cookies.
  const token = own.length === 1 ? own[0]?.slice(name.length) : undefined
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

export const signedInAnswer = ({ token, view }: Begun, origin: string) => ({
  body: view,
  headers: setCookie(SESSION, origin, token),
})
