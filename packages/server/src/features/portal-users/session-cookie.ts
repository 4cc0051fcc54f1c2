import { COOKIE_SECONDS } from './sessions.ts'

const TOKEN = /^[\w-]{43}$/

/** Over https the browser itself keeps the cookie to this host and to https. */
const nameFor = (origin: string) => (origin.startsWith('https:') ? '__Host-coffer' : 'coffer')

const attributesFor = (origin: string) =>
  `Path=/; HttpOnly; SameSite=Strict${origin.startsWith('https:') ? '; Secure' : ''}`

/** The token of the session in a `Cookie` header. */
export function cookieIn(header: string | undefined, origin: string): string | undefined {
  const name = `${nameFor(origin)}=`
  const own =
    header
      ?.split(';')
      .map((part) => part.trim())
      .filter((part) => part.startsWith(name)) ?? []
  // Two of one name: one of them was put there by another.
  const token = own.length === 1 ? own[0]?.slice(name.length) : undefined
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

/** The `Set-Cookie` header of a new session. */
export const sessionCookie = (token: string, origin: string): string =>
  `${nameFor(origin)}=${token}; ${attributesFor(origin)}; Max-Age=${COOKIE_SECONDS}`

/** The `Set-Cookie` header that removes it. */
export const noCookie = (origin: string): string => `${nameFor(origin)}=; ${attributesFor(origin)}; Max-Age=0`
