import { hash, randomBytes } from 'node:crypto'

export const randomToken = (bytes: 16 | 32): string => randomBytes(bytes).toString('base64url')

/** SHA-256. Tokens are random, so no slow function is needed. */
export const digestOfToken = (token: string): Buffer => hash('sha256', token, 'buffer')
