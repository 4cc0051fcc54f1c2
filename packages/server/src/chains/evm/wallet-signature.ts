import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  encodeDeployData,
  encodeFunctionData,
  hashMessage,
  isErc6492Signature,
  pad,
  parseAbi,
  universalSignatureValidatorAbi,
  universalSignatureValidatorByteCode,
  verifyMessage,
} from 'viem'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { upstreamOnly } from '../../lib/upstream-error.ts'
import { keyVerdict, type Verdict, type VerifyOwner } from '../chain-type.ts'
import { RpcRefusal } from '../rpc/json-rpc.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { type Hex, parseData } from './rpc-values.ts'

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
    [...pools].map(async ([chain, pool]) => {
      const agrees = await isValidContractSignature(pool, question).catch(upstreamOnly)
      return { chain, agrees }
    }),
  )
  const agreed = answers.find(({ agrees }) => agrees === true)
  if (agreed) return { isValid: true, chain: agreed.chain }
  return { isValid: false, unasked: answers.flatMap(({ chain, agrees }) => (agrees === false ? [] : [chain])) }
}

const erc1271Abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** ERC-1271: the selector of `isValidSignature`. */
const AGREED = pad('0x1626ba7e', { dir: 'right', size: 32 })
const SAYS_NO: ReadonlySet<RpcRefusal['kind']> = new Set(['reverted', 'gas'])
const VALIDATED = '0x01'

/** 10 million: several times the need of a wallet with many owners. */
const GAS: Hex = '0x989680'

type ContractSignature = { address: EvmAddress; hash: Hex; signature: Hex }

/** ERC-6492 signatures carry the deployment; nothing is sent. Rejects with `UpstreamError` if no node answers. */
export async function isValidContractSignature(pool: RpcPool, signed: ContractSignature): Promise<boolean> {
  const { call, yes } = question(signed)
  return pool.session().run(async (endpoint) => {
    try {
      const answer = await endpoint.request({ method: 'eth_call', params: [call, 'latest'], parse: parseData })
      return answer.toLowerCase() === yes
    } catch (error) {
      if (error instanceof RpcRefusal && SAYS_NO.has(error.kind)) return false
      throw error
    }
  })
}

function question({ address, hash, signature }: ContractSignature) {
  if (!isErc6492Signature(signature)) {
    const data = encodeFunctionData({ abi: erc1271Abi, functionName: 'isValidSignature', args: [hash, signature] })
    return { call: { to: address, data, gas: GAS }, yes: AGREED }
  }
  const data = encodeDeployData({
    abi: universalSignatureValidatorAbi,
    bytecode: universalSignatureValidatorByteCode,
    args: [address, hash, signature],
  })
  return { call: { data, gas: GAS }, yes: VALIDATED }
}
