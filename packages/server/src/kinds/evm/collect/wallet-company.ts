import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { FailWallet } from '../../histories.ts'

/** Wallets of a chain that are searched together. */
export type Company = {
  readonly chain: string
  /** Those that have not failed. */
  wallets(): readonly EvmAddress[]
  /** Runs the work for each wallet in turn; a wallet for which it rejects leaves the company. */
  each(work: (wallet: EvmAddress) => Promise<void>): Promise<void>
  /** A part of the company; a wallet that fails there leaves the whole company. */
  of(wallets: readonly EvmAddress[]): Company
}

/** A single wallet, whose failure fails the whole work. */
export function alone({ chain, wallet }: WalletOnChain<EvmAddress>): Company {
  return { chain, wallets: () => [wallet], each: (work) => work(wallet), of: () => alone({ chain, wallet }) }
}

export function inCompany(chain: string, members: readonly EvmAddress[], fail: FailWallet): Company {
  const failed = new Set<EvmAddress>()
  const some = (chosen: readonly EvmAddress[]): Company => {
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

/**
 * Groups wallets by the block from which they are searched, latest first. No wallet's search becomes more than twice as
 * long as alone, so that a wallet that lags far behind widens no other's search.
 */
export function groupByStart(
  starts: ReadonlyMap<EvmAddress, bigint>,
  head: bigint,
): { fromBlock: bigint; wallets: EvmAddress[] }[] {
  const doublings = ([, fromBlock]: [EvmAddress, bigint]) => (head - fromBlock + 1n).toString(2).length
  return [...Map.groupBy(starts, doublings)]
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => ({
      fromBlock: group.map(([, from]) => from).toSorted(byNumber)[0] ?? head,
      wallets: group.map(([wallet]) => wallet),
    }))
}

const byNumber = (a: bigint, b: bigint) => (a < b ? -1 : 1)
