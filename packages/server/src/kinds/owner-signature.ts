import type { Address } from '../domain/address.ts'
import type { RpcPool } from './rpc/rpc-pool.ts'

/** A text, and what is said to be its signature by the owner of an address. */
export type SignedText = { address: Address; text: string; signature: string }

/** `chain`: where the address's contract agreed, null when its key signed. `unasked`: chains whose nodes could not say. */
export type Verdict = { isValid: true; chain: string | null } | { isValid: false; unasked: readonly string[] }

/**
 * Whether the owner of an address signed exactly this text. `pools`: the endpoints of the kind's chains, which are
 * opened only if a contract has to be asked. A malleated form of a valid signature is not valid.
 */
export type VerifyOwner = (signed: SignedText, pools: () => ReadonlyMap<string, RpcPool>) => Promise<Verdict>

/** The verdict of a key. */
export const keyVerdict = (isValid: boolean): Verdict => (isValid ? { isValid, chain: null } : { isValid, unasked: [] })

/** What EIP-4361 calls the account and the chain of a wallet. `spell`: an address as its wallets show it. */
export type SignInForm = { network: string; chainId: string; spell(address: Address): string }
