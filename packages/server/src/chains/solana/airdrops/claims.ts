import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { AirdropSource, AllocationSource, HttpProofSource } from '../../airdrops.ts'
import { startingWith } from '../codec/account-data.ts'
import type { Moment } from '../codec/clock.ts'
import {
  CLAIM_STATUS,
  claimAddress,
  layouts,
  MERKLE_DISTRIBUTOR,
  type ReadClaim,
  readClaim,
  readDistributor,
} from '../distributors/distributor-layouts.ts'
import { type DistributorProgram, distributorPrograms } from '../distributors/distributor-programs.ts'
import { type Allocation, isProven } from '../distributors/merkle-proof.ts'
import {
  type Distributor,
  isFinished,
  type Outstanding,
  outstandingOfAllocation,
  outstandingOfClaim,
} from '../distributors/outstanding.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { AllocationList } from './allocation-list.ts'
import type { SaidClaim } from './http-proofs.ts'

export type OutstandingClaim = { distributor: Distributor; outstanding: Outstanding }

/** Untrusted until `isTrue` for the distributor's root. */
type Said = {
  source: AirdropSource
  distributor: SolanaAddress
  allocation: Allocation
  isTrue(root: Uint8Array): boolean
}

export function saidByApi(source: HttpProofSource, claims: readonly SaidClaim[], wallet: SolanaAddress): Said[] {
  return claims.map(({ distributor, allocation, proof }) => ({
    source,
    distributor,
    allocation,
    isTrue: (root) => isProven({ claimant: wallet, ...allocation }, proof, root),
  }))
}

export function saidByList(source: AllocationSource, list: AllocationList, wallet: SolanaAddress): Said[] {
  const { distributor } = source
  const allocation = list.find(wallet)
  return allocation
    ? [{ source, distributor, allocation, isTrue: (root) => Buffer.compare(list.root, root) === 0 }]
    : []
}

/** Issues all its reads before it awaits. Rejects with `UpstreamError` for a false claim. */
export async function proveClaim(
  reader: SolanaReader,
  { source, distributor: address, allocation, isTrue }: Said,
  wallet: SolanaAddress,
  moment: Moment,
): Promise<OutstandingClaim> {
  const { key, mint, window } = source
  const program = distributorPrograms.find((each) => each.program === source.program)
  if (!program) throw new Error(`${key} is of a program whose layout is not known`)
  const [account, status] = await reader.accounts([address, claimAddress(program.program, address, wallet)])
  if (!account) throw new UpstreamError('invalid', `${key}: it names a distributor that does not exist`)
  const distributor = readDistributor(account, program)
  if (mint !== undefined && mint !== distributor.mint) {
    throw new UpstreamError('invalid', `${key}: the distributor gives another token`)
  }
  if (!isTrue(distributor.root)) {
    throw new UpstreamError('invalid', `${key}: the distributor's root does not bear it out`)
  }
  const outstanding = status
    ? outstandingOfClaim(distributor, readClaim(status, program), moment)
    : outstandingOfAllocation(distributor, allocation, moment, window)
  return { distributor, outstanding }
}

/** Claims that were started on chain. Rejects with `UpstreamError`; `not-allowed` if accounts are not searched. */
export async function searchClaims(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
): Promise<ReadClaim[]> {
  const [, offset] = layouts[program.layout].claim.fields.claimant
  const filters = [startingWith(CLAIM_STATUS), { offset, bytes: wallet }]
  const accounts = await reader.programAccounts(program.program, filters)
  return accounts.map((account) => readClaim(account, program)).filter((claim) => !isFinished(claim))
}

export async function outstandingOfStarted(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
  claims: readonly ReadClaim[],
  moment: Moment,
): Promise<OutstandingClaim[]> {
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
    return { distributor, outstanding: outstandingOfClaim(distributor, claim, moment) }
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
  const [, offset] = layouts[program.layout].distributor.fields.admin
  const found = await Promise.all(
    admins.map((admin) => {
      const ofAdmin = admin === undefined ? [] : [{ offset, bytes: admin }]
      return reader.programAccounts(program.program, [startingWith(MERKLE_DISTRIBUTOR), ...ofAdmin])
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
