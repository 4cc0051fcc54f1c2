import type { WalletAddress } from '@coffer/contract'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58, base64 } from '@scure/base'
import { type Hex, hashMessage, verifyMessage } from 'viem'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { isValidContractSignature } from '../../kinds/evm/contract-signature.ts'
import type { RpcPool } from '../../kinds/rpc/rpc-pool.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** A text, and what is said to be its signature by the owner of an address. */
export type SignedText = { address: WalletAddress; text: string; signature: string }

/** `chain`: where the address's contract agreed, null when its key signed. `unasked`: chains whose nodes could not say. */
export type Verdict = { isValid: true; chain: string | null } | { isValid: false; unasked: readonly string[] }

type Family = WalletAddress['family']

/** Longer than any signature in base64 or base58; reading base58 takes the square of its length. */
const MOST_SOLANA_CHARACTERS = 100
const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})+$/
/** r and s of 32 bytes, and which of two keys. */
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/

const checks: Partial<Record<Family, (signed: SignedText, pools: Pools) => Promise<Verdict>>> = {
  evm: checkEvm,
  solana: async (signed) => verdict(isOfSolanaKey(signed)),
}

type Pools = () => ReadonlyMap<string, RpcPool>

/** Whether an address of the family can sign a text that `checkSignature` can check. */
export const canSign = (family: Family): boolean => checks[family] !== undefined

/**
 * Whether the owner of the address signed exactly this text. EVM: by its key (EIP-191), otherwise by the contract at
 * the address on one of the chains (ERC-1271, ERC-6492), which are asked only then. Solana: by its key (Ed25519), in
 * base58 or base64. A malleated form of a valid signature is not valid.
 */
export async function checkSignature(signed: SignedText, pools: Pools): Promise<Verdict> {
  return (await checks[signed.address.family]?.(signed, pools)) ?? verdict(false)
}

const verdict = (isValid: boolean): Verdict => (isValid ? { isValid, chain: null } : { isValid, unasked: [] })

async function checkEvm({ address, text, signature }: SignedText, pools: Pools): Promise<Verdict> {
  if (!HEX_DATA.test(signature)) return verdict(false)
  const signed = { address: evmAddress(address.address), text, signature: signature as Hex }
  return (await isOfEvmKey(signed)) ? verdict(true) : askContracts(signed, pools())
}

type EvmSigned = { address: EvmAddress; text: string; signature: Hex }

async function isOfEvmKey({ address, text, signature }: EvmSigned): Promise<boolean> {
  if (!KEY_SIGNATURE.test(signature)) return false
  try {
    // Of the two values of s that are valid for a key, Ethereum knows the lower (EIP-2).
    if (secp256k1.Signature.fromCompact(signature.slice(2, 130)).hasHighS()) return false
    return await verifyMessage({ address, message: text, signature })
  } catch {
    return false
  }
}

async function askContracts(
  { address, text, signature }: EvmSigned,
  pools: ReadonlyMap<string, RpcPool>,
): Promise<Verdict> {
  const question = { address, hash: hashMessage(text), signature }
  const answers = await Promise.all(
    [...pools].map(async ([chain, pool]) => ({ chain, agrees: await agrees(pool, question) })),
  )
  const agreed = answers.find(({ agrees }) => agrees === true)
  if (agreed) return { isValid: true, chain: agreed.chain }
  return { isValid: false, unasked: answers.flatMap(({ chain, agrees }) => (agrees === undefined ? [chain] : [])) }
}

/** Undefined when no node can say. */
async function agrees(pool: RpcPool, question: Parameters<typeof isValidContractSignature>[1]) {
  try {
    return await isValidContractSignature(pool, question)
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}

function isOfSolanaKey({ address, text, signature }: SignedText): boolean {
  if (signature.length > MOST_SOLANA_CHARACTERS) return false
  try {
    const bytes = signature.endsWith('=') ? base64.decode(signature) : base58.decode(signature)
    // As in RFC 8032, without the leniency of ZIP 215, which accepts keys that anyone can sign for.
    return ed25519.verify(bytes, Buffer.from(text), base58.decode(address.address), { zip215: false })
  } catch {
    return false
  }
}
