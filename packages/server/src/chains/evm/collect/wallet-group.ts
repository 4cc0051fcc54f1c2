import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { FailWallet } from '../../histories.ts'

export type WalletGroup = {
  readonly chain: string
  wallets(): readonly EvmAddress[]
  /** A wallet for which the work rejects leaves the batch. */
  each(work: (wallet: EvmAddress) => Promise<void>): Promise<void>
  of(wallets: readonly EvmAddress[]): WalletGroup
}

/** Rejects as the work does. */
export function alone({ chain, wallet }: WalletOnChain<EvmAddress>): WalletGroup {
  return createWalletGroup(chain, [wallet], (_, error) => {
    throw error
  })
}

export function createWalletGroup(chain: string, members: readonly EvmAddress[], fail: FailWallet): WalletGroup {
  const failed = new Set<EvmAddress>()
  const some = (chosen: readonly EvmAddress[]): WalletGroup => {
    const wallets = () => chosen.filter((wallet) => !failed.has(wallet))
    return {
      chain,
      wallets,
      async each(work) {
        for (const wallet of wallets()) {
          await work(wallet).catch((error: unknown) => {
            fail(wallet, error)
            failed.add(wallet)
          })
        }
      },
      of: some,
    }
  }
  return some(members)
}

/** Latest first. No search takes more than twice as long as alone. */
export function groupByStart(
  starts: ReadonlyMap<EvmAddress, bigint>,
  head: bigint,
): { fromBlock: bigint; wallets: EvmAddress[] }[] {
  const doublings = ([, fromBlock]: [EvmAddress, bigint]) => (head - fromBlock + 1n).toString(2).length
  return [...Map.groupBy(starts, doublings)]
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => ({
      fromBlock: group.map(([, from]) => from).toSorted((a, b) => (a < b ? -1 : 1))[0] ?? head,
      wallets: group.map(([wallet]) => wallet),
    }))
}
