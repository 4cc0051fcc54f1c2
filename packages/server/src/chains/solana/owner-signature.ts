import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import { keyVerdict, type SignedText, type VerifyOwner } from '../owner-signature.ts'

/** Decoding base58 takes quadratic time. */
const MOST_CHARACTERS = 100

/** Ed25519, in base58 or base64. */
export const verifySolanaOwner: VerifyOwner = async (signed) => keyVerdict(isOfKey(signed))

function isOfKey({ address, text, signature }: SignedText): boolean {
  if (signature.length > MOST_CHARACTERS) return false
  try {
    const bytes = signature.endsWith('=') ? base64.decode(signature) : base58.decode(signature)
    // RFC 8032: ZIP 215 accepts keys that anyone can sign for.
    return ed25519.verify(bytes, Buffer.from(text), base58.decode(address), { zip215: false })
  } catch {
    return false
  }
}
