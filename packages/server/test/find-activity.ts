import { joinCoverage } from '../src/chains/evm/activity/native-source.ts'
import { type ActivitySearch, activityPieces, type FoundActivity } from '../src/chains/evm/activity/wallet-activity.ts'
import { mergeRanges, missingRanges } from '../src/domain/block-ranges.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'

/** All pieces of a search. `missing`: not searched, whatever was found. */
export async function findActivity(search: ActivitySearch) {
  const { wallets, range } = search
  const pieces: FoundActivity[] = []
  for await (const piece of activityPieces(search)) pieces.push(piece)
  const covered = mergeRanges(pieces.flatMap((piece) => piece.covered))
  const partsOf = (wallet: EvmAddress) => pieces.flatMap(({ native }) => native.get(wallet) ?? [])
  const transactionsOf = (wallet: EvmAddress) => pieces.flatMap(({ perWallet }) => perWallet.get(wallet) ?? [])
  return {
    perWallet: new Map(wallets.map((wallet) => [wallet, transactionsOf(wallet)])),
    covered,
    missing: missingRanges(range, covered),
    native: new Map(wallets.map((wallet) => [wallet, joinCoverage(range, partsOf(wallet))])),
    failure: pieces.at(-1)?.failure,
  }
}
