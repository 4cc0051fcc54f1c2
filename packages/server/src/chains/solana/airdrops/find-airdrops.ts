import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { WarnLog } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type {
  Airdrop,
  AirdropGap,
  AirdropPart,
  AirdropSource,
  HttpProofSource,
  WalletAirdrops,
} from '../../airdrops.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { ChainTokens } from '../../tokens.ts'
import { decodable } from '../codec/account-data.ts'
import type { Moment } from '../codec/clock.ts'
import { decodeTokenAccount } from '../codec/token-program.ts'
import type { SolanaContext } from '../collect/context.ts'
import { type DistributorProgram, distributorPrograms } from '../distributors/distributor-programs.ts'
import type { Distributor, Outstanding } from '../distributors/outstanding.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { ListedAirdrop } from './allocation-list.ts'
import {
  type OutstandingClaim,
  outstandingOfStarted,
  proveClaim,
  saidByApi,
  saidByList,
  searchClaims,
} from './claims.ts'
import type { AskProofs } from './http-proofs.ts'

export async function readAirdrops(
  { chains, openReader, tokens, prices, log }: SolanaContext,
  sources: AirdropSources,
  key: string,
  wallet: SolanaAddress,
): Promise<WalletAirdrops> {
  const chain = ofEnabled(chains, key)
  const known = await tokens.of(chain)
  const reader = openReader(key)
  const { airdrops, ...rest } = await findAirdrops({ ...sources, known, log }, reader, wallet)
  const named = new Map(airdrops.map(({ mint }) => [mint, tokenOf(mint, airdrops, known)]))
  const amounts = [...named].map(([mint, token]) => ({ token, amountRaw: claimableOf(airdrops, mint) }))
  const priced = amounts.filter(({ token }) => !known.isSpam(token))
  const worth = amounts.length > 0 ? await prices.open({ chain, reader }).price(priced) : new Map()
  return { ...rest, airdrops, tokens: named, prices: worth }
}

function tokenOf(mint: SolanaAddress, airdrops: readonly Airdrop[], known: ChainTokens<SolanaReader>): Token {
  const token = known.find(mint) as Token
  const said = airdrops.find((airdrop) => airdrop.mint === mint && airdrop.token)?.token
  return token.listed || !said ? token : { ...token, ...said }
}

function claimableOf(airdrops: readonly Airdrop[], mint: SolanaAddress): bigint {
  const parts = airdrops.flatMap((airdrop) => (airdrop.mint === mint ? airdrop.parts : []))
  return parts.reduce((total, { isClaimable, amountRaw }) => (isClaimable ? total + amountRaw : total), 0n)
}

export type AirdropSources = {
  http: readonly HttpProofSource[]
  lists: readonly ListedAirdrop[]
  ask: AskProofs
}

type FoundAirdrops = { clock: Moment; airdrops: readonly Airdrop[]; gaps: readonly AirdropGap[] }

type Share = { airdrops: readonly OutstandingAirdrop[]; gaps: readonly AirdropGap[] }
type OutstandingAirdrop = Omit<Airdrop, 'parts' | 'mint'> & { of: Distributor; outstanding: Outstanding }

/** Issues its reads in the tick of the call. */
type Step = (moment: Moment) => Promise<OutstandingAirdrop[]>

type Lead = { row: Row; steps: readonly Step[] } | { gap: AirdropGap }
type Row = AirdropSource | DistributorProgram

/** Rejects with `UpstreamError` if the clock or the tokens are unreadable. */
export async function findAirdrops(
  { http, lists, ask, known, log }: AirdropSources & { known: ChainTokens<SolanaReader>; log: WarnLog },
  reader: SolanaReader,
  wallet: SolanaAddress,
): Promise<FoundAirdrops> {
  const leadOf = (row: Row, work: () => Promise<readonly Step[]>): Promise<Lead> =>
    work().then(
      (steps) => ({ row, steps }),
      (error: unknown) => ({ gap: gapOf(row, error, log) }),
    )
  const clock = reader.clock()
  const begun = distributorPrograms.map((program) => leadOf(program, () => stepsOfProgram(reader, program, wallet)))
  const moment = await clock.catch((error: unknown) => Promise.all(begun).then(() => Promise.reject(error)))
  const asked = [
    ...lists.map(({ source, list }) => ({ source, say: async () => saidByList(source, list, wallet) })),
    ...http.map((source) => ({ source, say: async () => saidByApi(source, await ask(source, wallet), wallet) })),
  ]
  const open = asked.filter(({ source: { window } }) => window?.until === undefined || moment.time < window.until)
  const said = open.map(({ source, say }) =>
    leadOf(source, async () =>
      (await say()).map(
        (one): Step =>
          async (at) => [airdropOf(source, await proveClaim(reader, one, wallet, at))],
      ),
    ),
  )
  // Sources name airdrops better, so they come first.
  const leads = await Promise.all([...said, ...begun])
  const shares = await Promise.all(leads.map((lead) => follow(lead, moment, log)))
  return { clock: moment, ...(await withVaults(reader, known, shares)) }
}

async function stepsOfProgram(
  reader: SolanaReader,
  program: DistributorProgram,
  wallet: SolanaAddress,
): Promise<Step[]> {
  const claims = await searchClaims(reader, program, wallet)
  if (claims.length === 0) return []
  return [
    async (moment) => {
      const started = await outstandingOfStarted(reader, program, wallet, claims, moment)
      return started.map((claim) => airdropOf(program, claim))
    },
  ]
}

async function follow(lead: Lead, moment: Moment, log: WarnLog): Promise<Share> {
  if ('gap' in lead) return { airdrops: [], gaps: [lead.gap] }
  const taken = await Promise.allSettled(lead.steps.map((step) => step(moment)))
  const failed = taken.find((step) => step.status === 'rejected')
  const airdrops = taken.flatMap((step) => (step.status === 'fulfilled' ? step.value : []))
  return { airdrops, gaps: failed ? [gapOf(lead.row, failed.reason, log)] : [] }
}

function gapOf(row: Row, error: unknown, log: WarnLog): AirdropGap {
  const reason = reasonOf(error)
  const source = 'key' in row ? row.key : row.program
  log.warn({ source, reason: (error as Error).message }, 'a source of airdrops failed; the answer marks it as missing')
  return { protocol: row.protocol.key, source, reason }
}

function airdropOf(row: Row, { distributor: of, outstanding }: OutstandingClaim): OutstandingAirdrop {
  const { protocol, title, link } = row
  const token = 'token' in row ? row.token : undefined
  const at = { distributor: of.address, link: link.replaceAll('{distributor}', of.address) }
  return { protocol, title, ...at, ...(token && { token }), of, outstanding }
}

async function withVaults(
  reader: SolanaReader,
  known: ChainTokens<SolanaReader>,
  shares: readonly Share[],
): Promise<Omit<FoundAirdrops, 'clock'>> {
  const once = new Map<SolanaAddress, OutstandingAirdrop>()
  for (const airdrop of shares.flatMap(({ airdrops }) => airdrops)) {
    const { claimableRaw, later } = airdrop.outstanding
    if (!once.has(airdrop.distributor) && (claimableRaw > 0n || later.length > 0))
      once.set(airdrop.distributor, airdrop)
  }
  const found = [...once.values()]
  const [accounts] = await Promise.all([
    reader.accounts([...new Set(found.map(({ of }) => of.vault))]),
    known.learn(reader, [...new Set(found.map(({ of }) => of.mint))]),
  ])
  const vaults = new Map(decodable(accounts, decodeTokenAccount).map((vault) => [vault.address, vault]))
  const gaps = shares.flatMap((share) => share.gaps)
  const airdrops = found.flatMap(({ of, outstanding, ...airdrop }) => {
    if (!known.find(of.mint)) {
      gaps.push({ protocol: airdrop.protocol.key, source: airdrop.distributor, reason: 'unreadable' })
      return []
    }
    const vault = vaults.get(of.vault)
    const inVaultRaw = vault?.mint === of.mint ? vault.amountRaw : 0n
    return [{ ...airdrop, mint: of.mint, parts: partsOf(outstanding, inVaultRaw) }]
  })
  return { airdrops, gaps }
}

/** A program pays the whole amount due or nothing. */
function partsOf({ claimableRaw, later }: Outstanding, inVaultRaw: bigint): AirdropPart[] {
  const isClaimable = claimableRaw <= inVaultRaw
  return [
    ...(claimableRaw > 0n ? [{ amountRaw: claimableRaw, isClaimable }] : []),
    ...later.map(({ amountRaw, unlockAt }) => ({ amountRaw, isClaimable: false, unlockAt })),
  ]
}

function reasonOf(error: unknown): AirdropGap['reason'] {
  if (!(error instanceof UpstreamError)) throw error
  if (error.reason === 'timeout') return 'time-limit'
  return error.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}
