import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { AirdropSource, AllocationSource, HttpProofSource } from '../../airdrop-source.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { claimAddress } from '../distributors/claim-address.ts'
import type { Distributor } from '../distributors/distributor.ts'
import { readClaim, readDistributor } from '../distributors/distributor-layouts.ts'
import { type DistributorProgram, findProgram } from '../distributors/distributor-programs.ts'
import { isProven } from '../distributors/merkle-proof.ts'
import {
  type Moment,
  type Outstanding,
  outstandingOfAllocation,
  outstandingOfClaim,
} from '../distributors/outstanding.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { AllocationList } from './allocation-list.ts'
import type { SaidClaim } from './http-proofs.ts'

export type Said = { source: AirdropSource } & ({ claim: SaidClaim } | { listed: ListedClaim })

type ListedClaim = Pick<SaidClaim, 'distributor' | 'allocation'> & { list: AllocationList }

export function saidByApi(source: HttpProofSource, claims: readonly SaidClaim[]): Said[] {
  return claims.map((claim) => ({ source, claim }))
}

export function saidByList(source: AllocationSource, list: AllocationList, wallet: SolanaAddress): Said[] {
  const allocation = list.find(wallet)
  return allocation ? [{ source, listed: { distributor: source.distributor, allocation, list } }] : []
}

export type ProvenClaim = { source: AirdropSource; distributor: Distributor; outstanding: Outstanding }

/** Issues all its reads before it awaits. Rejects with `UpstreamError` for a false claim. */
export async function proveClaim(
  reader: SolanaReader,
  said: Said,
  wallet: SolanaAddress,
  moment: Moment,
): Promise<ProvenClaim> {
  const { source } = said
  const program = findProgram(source.program)
  if (!program) throw new Error(`${source.key} is of a program whose layout is not known`)
  const { distributor: address, allocation } = 'claim' in said ? said.claim : said.listed
  const [account = null, status = null] = await reader.accounts([
    address,
    claimAddress(program.program, address, wallet),
  ])
  const distributor = openDistributor(account, program, source)
  const isTrue =
    'claim' in said
      ? isProven({ claimant: wallet, ...allocation }, said.claim.proof, distributor.root)
      : Buffer.compare(said.listed.list.root, distributor.root) === 0
  if (!isTrue) throw new UpstreamError('invalid', `${source.key}: the distributor's root does not bear it out`)
  const outstanding = status
    ? outstandingOfClaim(distributor, readClaim(status, program), moment)
    : outstandingOfAllocation(distributor, allocation, moment, source.window)
  return { source, distributor, outstanding }
}

function openDistributor(
  account: SolanaAccount | null,
  program: DistributorProgram,
  { key, mint }: AirdropSource,
): Distributor {
  if (!account) throw new UpstreamError('invalid', `${key}: it names a distributor that does not exist`)
  const distributor = readDistributor(account, program)
  if (mint === undefined || mint === distributor.mint) return distributor
  throw new UpstreamError('invalid', `${key}: the distributor gives another token`)
}
