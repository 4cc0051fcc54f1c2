import type { Endpoint, endpoints, RequestOf, ResponseOf } from '@coffer/contract'
import type {
  CreditsView,
  KeyView,
  LedgerView,
  PriceWhyView,
  portalEndpoints,
  Role,
  SessionView,
  UsageOutcome,
  UsageView,
} from '@coffer/contract/portal'
import type { Lossless } from './lossless.ts'

export type { CreditsView, KeyView, LedgerView, PriceWhyView, Role, SessionView, UsageOutcome, UsageView }

type Method = Endpoint['method']

type Own = (typeof portalEndpoints)[keyof typeof portalEndpoints]
type BelowDoor<P> = P extends `/portal/api${infer Rest}` ? Rest : never
export type OwnPath<M extends Method> = BelowDoor<Extract<Own, { method: M }>['path']>
type OwnOf<M extends Method, P extends string> = Extract<Own, { method: M; path: `/portal/api${P}` }>
export type OwnAnswer<M extends Method, P extends string> = ResponseOf<OwnOf<M, P>>
export type OwnBody<M extends Method, P extends string> = RequestOf<OwnOf<M, P>>['body']

export type SessionAccount = SessionView['accounts'][number]
export type LinkView = OwnAnswer<'POST', '/links/look'>
export type NewKey = OwnAnswer<'POST', '/accounts/:account/keys'>
export type SessionItem = OwnAnswer<'GET', '/user/sessions'>[number]
export type PasskeyItem = OwnAnswer<'GET', '/user/passkeys'>[number]
export type IdentityItem = OwnAnswer<'GET', '/user/identities'>[number]
export type WalletItem = OwnAnswer<'GET', '/user/wallets'>[number]

export type TotpStart = OwnAnswer<'POST', '/user/totp'>
export type Member = OwnAnswer<'GET', '/accounts/:account/members'>[number]
export type Invitation = OwnAnswer<'POST', '/accounts/:account/invitations'>
export type OpenInvitation = OwnAnswer<'GET', '/accounts/:account/invitations'>[number]
export type AuditLine = OwnAnswer<'GET', '/accounts/:account/audit'>[number]

type V1 = (typeof endpoints)[keyof typeof endpoints]
export type V1Path<M extends Method> = Extract<V1, { method: M }>['path']
type V1Of<M extends Method, P> = Extract<V1, { method: M; path: P }>
export type V1Answer<M extends Method, P> = Lossless<ResponseOf<V1Of<M, P>>>
export type V1Body<M extends Method, P> = RequestOf<V1Of<M, P>>['body']
