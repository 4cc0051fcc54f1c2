import type { DevChain } from '@coffer/devnet'
import type { Abi, Address, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from 'viem'

type Changing = 'nonpayable' | 'payable'
type View = 'pure' | 'view'
type Hits = { blockNumber?: bigint; account?: Address; value?: bigint }

/** Calls of one contract. `read` and `simulate`: at the last block, or at `blockNumber`. */
export function contractAt<const A extends Abi>({ client, write }: DevChain, address: Address, abi: A) {
  type Args<M extends Changing | View, N extends ContractFunctionName<A, M>> = ContractFunctionArgs<A, M, N>
  return {
    address,
    write: <N extends ContractFunctionName<A, Changing>>(
      from: Address,
      functionName: N,
      args?: Args<Changing, N>,
      value?: bigint,
    ) => write({ from, address, abi, functionName, args, value } as never),

    read: <N extends ContractFunctionName<A, View>>(functionName: N, args?: Args<View, N>, blockNumber?: bigint) =>
      client.readContract({ address, abi, functionName, args, blockNumber } as never) as Promise<
        ContractFunctionReturnType<A, View, N>
      >,

    simulate: async <N extends ContractFunctionName<A, Changing>>(
      functionName: N,
      args: Args<Changing, N>,
      at: Hits = {},
    ) => {
      const { result } = await client.simulateContract({ address, abi, functionName, args, ...at } as never)
      return result as ContractFunctionReturnType<A, Changing, N>
    },
  }
}
