import type { Address } from 'viem'
import type { DevChain } from '../chain.ts'

export const nativeActions = (chain: DevChain) => ({
  setBalance: (wallet: Address, amount: bigint) => chain.client.setBalance({ address: wallet, value: amount }),
  send: (from: Address, to: Address, amount: bigint) => chain.send({ from, to, value: amount }),
  /** Adds to a balance without a transaction. */
  give: async (wallet: Address, amount: bigint) =>
    chain.client.setBalance({
      address: wallet,
      value: (await chain.client.getBalance({ address: wallet })) + amount,
    }),
})
