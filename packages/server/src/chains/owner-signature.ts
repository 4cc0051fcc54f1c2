import type { Address } from '../domain/address.ts'
import type { RpcPool } from './rpc/rpc-pool.ts'

export type SignedText = { address: Address; text: string; signature: string }

/** `chain`: of the contract that agreed, null for a key. `unasked`: chains without an answer. */
export type Verdict = { isValid: true; chain: string | null } | { isValid: false; unasked: readonly string[] }

/** Opens `pools` only if a contract must be asked. A malleated signature is not valid. */
export type VerifyOwner = (signed: SignedText, pools: () => ReadonlyMap<string, RpcPool>) => Promise<Verdict>

export const keyVerdict = (isValid: boolean): Verdict => (isValid ? { isValid, chain: null } : { isValid, unasked: [] })

export type SignInForm = { network: string; chainId: string; spell(address: Address): string }
