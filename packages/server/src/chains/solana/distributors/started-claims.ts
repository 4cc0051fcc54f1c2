import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { ofKind } from '../codec/account-data.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { claimAddress } from './claim-address.ts'
import type { ClaimStatus, Distributor } from './distributor.ts'
import {
  CLAIM_STATUS,
  layouts,
  MERKLE_DISTRIBUTOR,
  type ReadClaim,
  readClaim,
  readDistributor,
} from './distributor-layouts.ts'
import type { DistributorProgram } from './distributor-programs.ts'
import { isFinished } from './outstanding.ts'

export type StartedClaim = { distributor: Distributor; claim: ClaimStatus }

/** Rejects with `UpstreamError`; `not-allowed` if the endpoint searches no accounts. */
export async function searchClaims(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
): Promise<ReadClaim[]> {
  const { claimant } = layouts[program.layout].claim
  const filters = [ofKind(CLAIM_STATUS), { offset: claimant, bytes: wallet }]
  const accounts = await reader.programAccounts(program.program, filters)
  return accounts.map((account) => readClaim(account, program)).filter((claim) => !isFinished(claim))
}

export async function findDistributors(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
  claims: readonly ReadClaim[],
): Promise<StartedClaim[]> {
  const named = claims.flatMap((claim) => claim.distributor ?? [])
  const [ofNamed, ofUnnamed] = await Promise.all([
    named.length > 0 ? reader.accounts(named) : [],
    searchDistributors(reader, program, wallet, claims),
  ])
  const byAddress = new Map(ofNamed.flatMap((account) => (account ? [[account.address, account] as const] : [])))
  return claims.map((claim) => {
    const account = claim.distributor === undefined ? undefined : byAddress.get(claim.distributor)
    const distributor = account ? readDistributor(account, program) : ofUnnamed.get(claim.address)
    if (!distributor) throw new UpstreamError('invalid', `claim status ${claim.address} is of no known distributor`)
    return { distributor, claim }
  })
}

/** Some claims name only the administrator of their distributor. */
async function searchDistributors(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
  claims: readonly ReadClaim[],
): Promise<ReadonlyMap<SolanaAddress, Distributor>> {
  const unnamed = claims.filter(({ distributor }) => distributor === undefined)
  const admins = [...new Set(unnamed.map(({ admin }) => admin))]
  const { admin: offset } = layouts[program.layout].distributor
  const found = await Promise.all(
    admins.map((admin) => {
      const ofAdmin = admin === undefined ? [] : [{ offset, bytes: admin }]
      return reader.programAccounts(program.program, [ofKind(MERKLE_DISTRIBUTOR), ...ofAdmin])
    }),
  )
  const wanted = new Set(unnamed.map(({ address }) => address))
  return new Map(
    found.flat().flatMap((account) => {
      const address = claimAddress(program.program, account.address, wallet)
      return wanted.has(address) ? [[address, readDistributor(account, program)] as const] : []
    }),
  )
}
