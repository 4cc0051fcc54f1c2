import { type DevChain, ownArtifact } from '@coffer/devnet'
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'

export type Contract = ReturnType<typeof contractOf>

/** `of`: an ABI, or the name of an own contract. Names and arguments are checked against the ABI when a call is made. */
export function contractOf({ client, write }: DevChain, address: Address, of: Abi | string) {
  const abi = typeof of === 'string' ? ownArtifact(of).abi : of
  const at = (blockNumber?: bigint, value?: bigint) => {
    const target = { address, abi, ...(blockNumber !== undefined && { blockNumber }) }
    return {
      read: <T = bigint>(functionName: string, ...args: unknown[]) =>
        client.readContract({ ...target, functionName, args }) as Promise<T>,
      /** The call's result. Changes nothing. */
      simulate: async <T = bigint>(account: Address, functionName: string, ...args: unknown[]) =>
        (await client.simulateContract({ ...target, account, functionName, args, ...(value && { value }) }))
          .result as T,
    }
  }
  const data = (functionName: string, ...args: unknown[]): Hex => encodeFunctionData({ abi, functionName, args })
  return {
    ...{ address, abi, at, data, ...at() },
    call: (functionName: string, ...args: unknown[]) => ({ to: address, data: data(functionName, ...args) }),
    write: (from: Address, functionName: string, ...args: unknown[]) =>
      write({ from, address, abi, functionName, args }),
    pay: (from: Address, value: bigint, functionName: string, ...args: unknown[]) =>
      write({ from, address, abi, functionName, args, value }),
  }
}

/** Deploys an own contract. */
export async function deployOwn(chain: DevChain, name: string, args: readonly unknown[] = []): Promise<Contract> {
  return contractOf(chain, await chain.deploy(ownArtifact(name), args), name)
}
