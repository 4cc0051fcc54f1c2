import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { AirdropSource, HttpProofSource } from '../../airdrop-source.ts'
import type { Airdrop, AirdropGap, AirdropPart } from '../../airdrops.ts'
import { decodable } from '../codec/account-data.ts'
import type { SolanaClock } from '../codec/clock.ts'
import { decodeTokenAccount, type TokenAccount } from '../codec/token-program.ts'
import type { Distributor } from '../distributors/distributor.ts'
import type { DistributorProgram } from '../distributors/distributor-programs.ts'
import { type Moment, type Outstanding, outstandingOfClaim } from '../distributors/outstanding.ts'
import { findDistributors, searchClaims } from '../distributors/started-claims.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { AllocationList } from './allocation-list.ts'
import type { AskProofs } from './http-proofs.ts'
import { proveClaim, type Said, saidByApi, saidByList } from './said-claims.ts'

type FoundAirdrops = {
  clock: SolanaClock
  airdrops: readonly Airdrop[]
  tokens: ReadonlyMap<SolanaAddress, Token>
  gaps: readonly AirdropGap[]
}

export type AirdropLog = { warn(fields: object, message: string): void }

/** Rejects with `UpstreamError` if the clock or the tokens are unreadable. */
export type FindAirdrops = (reader: SolanaReader, wallet: SolanaAddress) => Promise<FoundAirdrops>

export type ReadMintTokens = (
  reader: SolanaReader,
  mints: readonly SolanaAddress[],
) => Promise<ReadonlyMap<SolanaAddress, Token>>

type Share = { airdrops: readonly OutstandingAirdrop[]; gaps: readonly AirdropGap[] }
type OutstandingAirdrop = Omit<Airdrop, 'parts' | 'mint'> & { of: Distributor; outstanding: Outstanding }

/** Issues its reads in the tick of the call. */
type Step = (moment: Moment) => Promise<OutstandingAirdrop[]>

type Lead = { who: Who; steps: readonly Step[] } | { gap: AirdropGap }

/** A failure becomes a gap. */
export function createFindAirdrops({
  programs,
  http,
  lists,
  ask,
  readTokens,
  log,
}: {
  programs: readonly DistributorProgram[]
  http: readonly HttpProofSource[]
  lists: readonly ListedAirdrop[]
  ask: AskProofs
  readTokens: ReadMintTokens
  log: AirdropLog
}): FindAirdrops {
  const gapOf = (who: Who, error: unknown): AirdropGap => {
    const reason = reasonOf(error)
    log.warn(
      { source: who.source, reason: (error as Error).message },
      'a source of airdrops failed; the answer marks it as missing',
    )
    return { ...who, reason }
  }
  const leadOf = (who: Who, work: () => Promise<readonly Step[]>): Promise<Lead> =>
    work().then(
      (steps) => ({ who, steps }),
      (error: unknown) => ({ gap: gapOf(who, error) }),
    )
  const follow = async (lead: Lead, moment: Moment): Promise<Share> => {
    if ('gap' in lead) return { airdrops: [], gaps: [lead.gap] }
    const taken = await Promise.allSettled(lead.steps.map((step) => step(moment)))
    const failed = taken.find((step) => step.status === 'rejected')
    const airdrops = taken.flatMap((step) => (step.status === 'fulfilled' ? step.value : []))
    return { airdrops, gaps: failed ? [gapOf(lead.who, failed.reason)] : [] }
  }

  return async function findAirdrops(reader, wallet) {
    const clock = reader.clock()
    const begun = programs.map((program) => leadOf(whoIs(program), () => stepsOfProgram(reader, program, wallet)))
    const moment = await clock.catch((error: unknown) => Promise.all(begun).then(() => Promise.reject(error)))
    const isOpen = ({ source }: { source: AirdropSource }) =>
      source.window?.until === undefined || moment.time < source.window.until
    const asked = [
      ...lists.map(({ source, list }) => ({ source, say: async () => saidByList(source, list, wallet) })),
      ...http.map((source) => ({ source, say: async () => saidByApi(source, await ask(source, wallet)) })),
    ]
    const said = asked
      .filter(isOpen)
      .map(({ source, say }) =>
        leadOf(whoIs(source), async () => (await say()).map((one) => stepOfSource(reader, one, wallet))),
      )
    // Sources name airdrops better, so they come first.
    const leads = await Promise.all([...said, ...begun])
    const shares = await Promise.all(leads.map((lead) => follow(lead, moment)))
    return { clock: moment, ...(await withTokens(reader, readTokens, shares)) }
  }
}

async function stepsOfProgram(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
): Promise<Step[]> {
  const claims = await searchClaims(reader, program, wallet)
  if (claims.length === 0) return []
  const step: Step = async (moment) => {
    const started = await findDistributors(reader, program, wallet, claims)
    return started.map(({ distributor, claim }) =>
      airdropOf(program, distributor, outstandingOfClaim(distributor, claim, moment)),
    )
  }
  return [step]
}

function stepOfSource(reader: SolanaReader, said: Said, wallet: SolanaAddress): Step {
  return async (moment) => {
    const { source, distributor, outstanding } = await proveClaim(reader, said, wallet, moment)
    return [airdropOf(source, distributor, outstanding)]
  }
}

export type ListedAirdrop = { source: Extract<AirdropSource, { kind: 'allocation' }>; list: AllocationList }

type Who = Pick<AirdropGap, 'protocol' | 'source'>

const whoIs = (row: AirdropSource | DistributorProgram): Who => ({
  protocol: row.protocol.key,
  source: 'key' in row ? row.key : row.program,
})

function airdropOf(
  row: AirdropSource | DistributorProgram,
  of: Distributor,
  outstanding: Outstanding,
): OutstandingAirdrop {
  const { protocol, title, link } = row
  const token = 'token' in row ? row.token : undefined
  const at = { distributor: of.address, link: link.replaceAll('{distributor}', of.address) }
  return { protocol, title, ...at, ...(token && { token }), of, outstanding }
}

async function withTokens(
  reader: SolanaReader,
  readTokens: ReadMintTokens,
  shares: readonly Share[],
): Promise<Omit<FoundAirdrops, 'clock'>> {
  const once = new Map<SolanaAddress, OutstandingAirdrop>()
  for (const airdrop of shares.flatMap(({ airdrops }) => airdrops)) {
    if (!once.has(airdrop.distributor) && hasAnything(airdrop.outstanding)) once.set(airdrop.distributor, airdrop)
  }
  const found = [...once.values()]
  const [tokens, vaults] = await Promise.all([
    readTokens(reader, [...new Set(found.map(({ of }) => of.mint))]),
    readVaults(reader, [...new Set(found.map(({ of }) => of.vault))]),
  ])
  const [known, unknown] = [true, false].map((is) => found.filter(({ of }) => tokens.has(of.mint) === is)) as [
    OutstandingAirdrop[],
    OutstandingAirdrop[],
  ]
  const airdrops = known.map(({ of, outstanding, ...airdrop }) => {
    const vault = vaults.get(of.vault)
    const inVaultRaw = vault?.mint === of.mint ? vault.amountRaw : 0n
    return { ...airdrop, mint: of.mint, parts: partsOf(outstanding, inVaultRaw) }
  })
  const gaps = unknown.map(({ protocol, distributor }): AirdropGap => {
    return { protocol: protocol.key, source: distributor, reason: 'unreadable' }
  })
  return { airdrops, tokens, gaps: [...shares.flatMap((share) => share.gaps), ...gaps] }
}

const hasAnything = ({ claimableRaw, later }: Outstanding) => claimableRaw > 0n || later.length > 0

/** A program pays the whole amount due or nothing. */
function partsOf({ claimableRaw, later }: Outstanding, inVaultRaw: bigint): AirdropPart[] {
  const isClaimable = claimableRaw <= inVaultRaw
  return [
    ...(claimableRaw > 0n ? [{ amountRaw: claimableRaw, isClaimable }] : []),
    ...later.map(({ amountRaw, unlockAt }) => ({ amountRaw, isClaimable: false, unlockAt })),
  ]
}

async function readVaults(
  reader: SolanaReader,
  addresses: readonly SolanaAddress[],
): Promise<ReadonlyMap<SolanaAddress, TokenAccount>> {
  const vaults = decodable(await reader.accounts(addresses), decodeTokenAccount)
  return new Map(vaults.map((vault) => [vault.address, vault]))
}

function reasonOf(error: unknown): AirdropGap['reason'] {
  if (!(error instanceof UpstreamError)) throw error
  if (error.reason === 'timeout') return 'time-limit'
  return error.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}
