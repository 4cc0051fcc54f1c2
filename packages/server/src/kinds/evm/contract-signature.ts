import {
  encodeDeployData,
  encodeFunctionData,
  isErc6492Signature,
  pad,
  parseAbi,
  universalSignatureValidatorAbi,
  universalSignatureValidatorByteCode,
} from 'viem'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { RpcRefusal } from '../rpc/json-rpc.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { type Hex, parseData } from './rpc-values.ts'

const erc1271Abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** The selector of `isValidSignature` as a word: the answer of a contract that accepts the signature. */
const AGREED = pad('0x1626ba7e', { dir: 'right', size: 32 })
/** The answer of viem's validator for a valid signature. */
const VALIDATED = '0x01'

/** A signature that claims to be from a contract. */
export type ContractSignature = { address: EvmAddress; hash: Hex; signature: Hex }

/**
 * Whether the contract at an address accepts the signature of a hash (ERC-1271), on one chain at its latest block. A
 * signature that carries the contract's deployment (ERC-6492) is checked against the contract that it would create;
 * nothing is sent. False where there is no contract. Rejects with `UpstreamError` when no node can answer.
 */
export async function isValidContractSignature(pool: RpcPool, signed: ContractSignature): Promise<boolean> {
  const { call, yes } = question(signed)
  return pool.session().run(async (endpoint) => {
    try {
      const answer = await endpoint.request({ method: 'eth_call', params: [call, 'latest'], parse: parseData })
      return answer.toLowerCase() === yes
    } catch (error) {
      if (error instanceof RpcRefusal && error.kind === 'reverted') return false
      throw error
    }
  })
}

function question({ address, hash, signature }: ContractSignature): { call: { to?: EvmAddress; data: Hex }; yes: Hex } {
  if (!isErc6492Signature(signature)) {
    const data = encodeFunctionData({ abi: erc1271Abi, functionName: 'isValidSignature', args: [hash, signature] })
    return { call: { to: address, data }, yes: AGREED }
  }
  const data = encodeDeployData({
    abi: universalSignatureValidatorAbi,
    bytecode: universalSignatureValidatorByteCode,
    args: [address, hash, signature],
  })
  return { call: { data }, yes: VALIDATED }
}
