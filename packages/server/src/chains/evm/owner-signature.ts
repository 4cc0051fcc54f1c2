import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type Hex, hashMessage, verifyMessage } from 'viem'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import { keyVerdict, type Verdict, type VerifyOwner } from '../owner-signature.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { type ContractSignature, isValidContractSignature } from './contract-signature.ts'

const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})+$/
/** r and s of 32 bytes, recovery byte. */
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/

/** The key (EIP-191), else contracts (ERC-1271, ERC-6492). */
export const verifyEvmOwner: VerifyOwner = async ({ address, text, signature }, pools) => {
  if (!HEX_DATA.test(signature)) return keyVerdict(false)
  const signed = { address: evmAddress(address), text, signature: signature as Hex }
  return (await isOfKey(signed)) ? keyVerdict(true) : askContracts(signed, pools())
}

type EvmSigned = { address: EvmAddress; text: string; signature: Hex }

async function isOfKey({ address, text, signature }: EvmSigned): Promise<boolean> {
  if (!KEY_SIGNATURE.test(signature)) return false
  try {
    // Ethereum accepts only the lower s (EIP-2).
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

async function agrees(pool: RpcPool, question: ContractSignature) {
  const answer = await isValidContractSignature(pool, question).catch(upstreamOnly)
  return answer instanceof UpstreamError ? undefined : answer
}
