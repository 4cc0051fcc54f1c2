import type { Endpoint, endpoints, RequestOf, ResponseOf } from '@coffer/contract'
import type { Lossless } from './lossless.ts'

export type Role = 'viewer' | 'accountant' | 'owner'

export type SessionAccount = { id: string; name: string; role: Role; plan: 'FREE' | 'LITE' | 'PRO' }
export type SessionView = {
  user: {
    id: string
    name: string
    isOperator: boolean
    hasPassword: boolean
    passkeys: number
    hasTotp: boolean
  }
  accounts: SessionAccount[]
  provedUntil: string | null
}

export type LinkView = {
  kind: 'setup' | 'invitation' | 'recovery'
  account: string | null
  role: Role | null
  user: string | null
  expiresAt: string
}
export type KeyView = {
  id: string
  name: string
  key: string
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}
export type NewKey = { id: string; name: string; key: string }
export type SessionItem = {
  id: string
  createdAt: string
  seenAt: string
  address: string
  agent: string
  isCurrent: boolean
}
export type PasskeyItem = { id: string; name: string; createdAt: string; lastUsedAt: string | null }
/** `uri` is what authenticator apps open: `otpauth://totp/…`. */
export type TotpStart = { secret: string; uri: string }
export type TotpConfirmed = { recoveryCodes: string[] }

/** An endpoint of `/v1` by its method and path; its answer has texts for numbers. */
type V1 = (typeof endpoints)[keyof typeof endpoints]
export type V1Path<M extends Endpoint['method']> = Extract<V1, { method: M }>['path']
type V1Of<M extends Endpoint['method'], P> = Extract<V1, { method: M; path: P }>
export type V1Answer<M extends Endpoint['method'], P> = Lossless<ResponseOf<V1Of<M, P>>>
export type V1Body<M extends Endpoint['method'], P> = RequestOf<V1Of<M, P>>['body']
