import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Address, type Hex, parseAbi } from 'viem'
import { packageFolder } from '../artifact.ts'
import type { DevChain } from '../chain.ts'

export const multicall3Abi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])

/** viem's code for calls without a deployed Multicall3, which it does not export. */
const creationCode = async (): Promise<Hex> => {
  const file = join(packageFolder('viem'), '_esm', 'constants', 'contracts.js')
  const { multicall3Bytecode } = (await import(pathToFileURL(file).href)) as { multicall3Bytecode: Hex }
  return multicall3Bytecode
}

export const deployMulticall3 = async (chain: DevChain, address: Address): Promise<void> => {
  await chain.deployTo(address, { abi: [], bytecode: await creationCode(), linkReferences: {} })
}
