import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { FailWallet } from './histories.ts'

/** Wallets of a chain that are searched together. */
export type Company = {
  readonly chain: string
  /** Those that have not failed. */
  wallets(): readonly EvmAddress[]
  /** Does the work for each of them, one after the other; one for which it rejects leaves the company. */
  each(work: (wallet: EvmAddress) => Promise<void>): Promise<void>
  /** Some of them; who fails there leaves the whole company. */
  of(wallets: readonly EvmAddress[]): Company
}

/** A single wallet: what fails for it fails the work. */
export function alone({ chain, wallet }: Searched<EvmAddress>): Company {
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
 * Wallets by the block that they are to be searched from, those that begin latest first. In a group no search is more than
 * twice as long as it would be for the wallet alone, so that one that was not followed for long widens no other's.
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
