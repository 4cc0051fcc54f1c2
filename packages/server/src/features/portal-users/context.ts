import { Failure } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { ChainType, ChainTypes } from '../../chains/chain-type.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller, PortalSession } from '../../http/gates.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { Issuer } from './openid-issuer.ts'
import type { Passwords } from './passwords.ts'
import type { From } from './sessions.ts'

export type PortalUsers = {
  db: Db
  vault: SecretVault
  passwords: Passwords
  take: RateLimits['take']
  issuer: Issuer | null
  chainTypes: ChainTypes
  chains: readonly Chain[]
  poolsOf(chainType: ChainType): ReadonlyMap<string, RpcPool>
}

export type Visit = { caller: PortalCaller; origin: string }
export type Call<B> = Visit & { body: B }

export const fromOf = ({ session, from }: PortalCaller): From => ({ ...from, former: session?.id })

/** Throws if the portal door admitted an anonymous caller. */
export function signedIn({ session }: PortalCaller): PortalSession {
  if (!session) throw new Failure('UNAUTHORIZED', 'Not signed in')
  return session
}
