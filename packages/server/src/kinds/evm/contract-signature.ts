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
/** How nodes tell that the contract did not answer. */
const SAYS_NO: ReadonlySet<RpcRefusal['kind']> = new Set(['reverted', 'gas'])
/** The answer of viem's validator for a valid signature. */
const VALIDATED = '0x01'

/** What a contract may use up for its answer: several times what a wallet of many owners or a deployment takes. */
const GAS: Hex = '0x989680'

/** A signature that claims to be from a contract. */
export type ContractSignature = { address: EvmAddress; hash: Hex; signature: Hex }

/**
 * Whether the contract at an address accepts the signature of a hash (ERC-1271), on one chain at its latest block. A
 * signature that carries the contract's deployment (ERC-6492) is checked against the contract that it would create;
 * nothing is sent. False where there is no contract, and where it reverts or uses up its gas. Rejects with `UpstreamError` when no node can answer.
 */
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

function question({ address, hash, signature }: ContractSignature): {
  call: { to?: EvmAddress; data: Hex; gas: Hex }
  yes: Hex
} {
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
