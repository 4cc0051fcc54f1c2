import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { invalid, type SolanaAccount } from '../codec/account-data.ts'
import { addressBytes, programAddress, remembered } from '../codec/address.ts'
import type { PositionScope } from './adapter.ts'

/** Anyone can send NFTs to a wallet. */
const MAX_NFTS = 2_000

export function nftMints({ held, leftOut }: PositionScope): SolanaAddress[] {
  const mints = held.filter(({ amountRaw, decimals = 0 }) => amountRaw === 1n && decimals === 0).map(({ mint }) => mint)
  if (mints.length > MAX_NFTS) {
    const why = `the wallet has ${mints.length} NFTs, too many to look for positions among all of them`
    leftOut?.(new UpstreamError('invalid', why))
  }
  return mints.slice(0, MAX_NFTS)
}

export type NftProtocol<P> = {
  program: SolanaAddress
  positionAddress(mint: SolanaAddress): SolanaAddress
  readPosition(account: SolanaAccount): P
}

export async function readNftPositions<P extends { mint: SolanaAddress }>(
  scope: PositionScope,
  { program, positionAddress, readPosition }: NftProtocol<P>,
): Promise<P[]> {
  const mints = nftMints(scope)
  const accounts = await scope.reader.accounts(mints.map(positionAddress))
  return accounts.flatMap((account, index) => {
    // Anyone can send SOL to an address without an account.
    if (!account || account.owner === NATIVE_SOL) return []
    const position = readPosition(account)
    if (position.mint !== mints[index]) throw invalid(`position of ${program}`, account.address, 'is of another NFT')
    return [position]
  })
}

export const positionAddresses = (program: SolanaAddress) =>
  remembered((mint) => programAddress(program, ['position', addressBytes(mint)]))
