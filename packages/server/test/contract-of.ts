import { type DevChain, ownArtifact } from '@coffer/devnet'
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'

export type Contract = ReturnType<typeof contractOf>

/** Names and arguments are checked against the ABI when a call is made. */
export function contractOf({ client, write }: DevChain, address: Address, abi: Abi) {
  const at = (blockNumber?: bigint) => {
    const target = { address, abi, ...(blockNumber !== undefined && { blockNumber }) }
    return {
      read: <T>(functionName: string, ...args: unknown[]) =>
        client.readContract({ ...target, functionName, args }) as Promise<T>,
      /** The call's result. Changes nothing. */
      simulate: async <T>(account: Address, functionName: string, ...args: unknown[]) =>
        (await client.simulateContract({ ...target, account, functionName, args })).result as T,
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

export async function deployOwn(chain: DevChain, name: string, args: readonly unknown[] = []): Promise<Contract> {
  const artifact = ownArtifact(name)
  return contractOf(chain, await chain.deploy(artifact, args), artifact.abi)
}

export const ownAt = (chain: DevChain, name: string, address: Address) =>
  contractOf(chain, address, ownArtifact(name).abi)
