import { type Abi, type AbiFunction, decodeFunctionResult, encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import type { Hex } from '../rpc-values.ts'
import { ContractRevert } from './evm-reader.ts'

export type ContractCall = { abi: Abi; functionName: string; args?: readonly unknown[] | undefined }

type Prepared = { abi: [AbiFunction]; selector: Hex }

const preparedByAbi = new WeakMap<Abi, Map<string, Prepared | null>>()

/** Null for overloaded names: viem selects by arguments. */
function prepare(abi: Abi, name: string): Prepared | null {
  const byName = preparedByAbi.get(abi) ?? new Map<string, Prepared | null>()
  preparedByAbi.set(abi, byName)
  let prepared = byName.get(name)
  if (prepared === undefined) {
    const named = abi.filter((item) => item.type === 'function' && item.name === name)
    const [only] = named
    const isOne = named.length === 1 && only?.type === 'function'
    prepared = isOne
      ? {
          abi: [only],
          selector: prepareEncodeFunctionData({ abi: [only], functionName: name } as never).functionName as Hex,
        }
      : null
    byName.set(name, prepared)
  }
  return prepared
}

export function encodeCall({ abi, functionName, args }: ContractCall): Hex {
  const prepared = prepare(abi, functionName)
  const call = prepared ? { abi: prepared.abi, functionName: prepared.selector } : { abi, functionName }
  return encodeFunctionData({ ...call, args } as never)
}

/** A mismatch with the outputs is a `ContractRevert`: it is the same at every node. */
export function decodeAnswer({ abi, functionName, args }: ContractCall, data: Hex): unknown {
  const prepared = prepare(abi, functionName)?.abi
  // Frequent, and viem would build an error first.
  if (data === '0x' && prepared?.[0].outputs.length) throw new ContractRevert(`${functionName} answered nothing`)
  try {
    return decodeFunctionResult({ abi: prepared ?? abi, functionName, args, data } as never)
  } catch {
    throw new ContractRevert(`${functionName} answered with data that its interface does not allow`)
  }
}

export function changesState({ abi, functionName }: ContractCall): boolean {
  const named = prepare(abi, functionName)?.abi ?? abi.filter((item) => 'name' in item && item.name === functionName)
  return named.some((item) => item.type === 'function' && !['view', 'pure'].includes(item.stateMutability))
}
