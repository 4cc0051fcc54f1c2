import { hash, randomBytes } from 'node:crypto'

/** A random text for a cookie or a link: `bytes` of entropy in base64url. */
export const randomToken = (bytes: 16 | 32): string => randomBytes(bytes).toString('base64url')

/** What is stored of a token: SHA-256. Tokens are random, so that no slow function is needed. */
export const digestOfToken = (token: string): Buffer => hash('sha256', token, 'buffer')
