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
/** ERC-1271: the selector of `isValidSignature`. */
const AGREED = pad('0x1626ba7e', { dir: 'right', size: 32 })
/** Refusals that mean: the contract did not answer. */
const SAYS_NO: ReadonlySet<RpcRefusal['kind']> = new Set(['reverted', 'gas'])
/** Answer of viem's validator. */
const VALIDATED = '0x01'

/** 10 million: several times the need of a wallet with many owners. */
const GAS: Hex = '0x989680'

export type ContractSignature = { address: EvmAddress; hash: Hex; signature: Hex }

/**
 * ERC-1271, at the latest block. ERC-6492 signatures carry the contract's deployment; nothing is sent. False without a
 * contract, or if it reverts or uses up its gas. Rejects with `UpstreamError` if no node can answer.
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
