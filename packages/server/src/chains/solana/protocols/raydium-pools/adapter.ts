import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { UpstreamError } from '../../../../lib/upstream-error.ts'
import {
  type AccountOf,
  anchorLayout,
  invalid,
  type Layout,
  layout,
  ofKind,
  readAccount,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { programAddress } from '../../codec/address.ts'
import { heldAmount, mintAuthorities } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { type Accounts, readAccounts } from '../account-reads.ts'
import type { MintLead, MintLeads, SolanaAdapter } from '../adapter.ts'
import { fungibleMints, readShareTokens, type Share, type ShareScope, withoutLeads } from '../share-tokens.ts'

export const CPMM_PROGRAM: SolanaAddress = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const AMM_PROGRAM: SolanaAddress = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'

const CPMM = anchorLayout('pool of Raydium CPMM', CPMM_PROGRAM, 'iUE1qg7KXeV', 637, {
  config: ['key', 8],
  vaults: ['key', 72, 104],
  lpMint: ['key', 136],
  tokens: ['key', 168, 200],
  status: ['u8', 329],
  shares: ['u64', 333],
  protocolFees: ['u64', 341, 349],
  fundFees: ['u64', 357, 365],
  openTime: ['u64', 373],
  hasCreatorFee: ['flag', 390],
  creatorFees: ['u64', 397, 405],
})
const NO_SWAPS = 1 << 2

const AMM = layout(
  { what: 'pool of Raydium AMM v4', programs: [AMM_PROGRAM], minLength: 752, isExact: true },
  {
    status: ['u64', 0],
    owed: ['u64', 192, 200],
    vaults: ['key', 336, 368],
    tokens: ['key', 400, 432],
    lpMint: ['key', 464],
    shares: ['u64', 720],
  },
)
/** 1 initialized, 2 disabled, 3 to 7 partly restricted. */
const STATUSES = { first: 1n, last: 7n }

/** `owed`: to others than share holders. `shares` include burnt ones. */
type LpPool = Omit<AccountOf<typeof AMM>, 'status'>

function readCpmm(account: SolanaAccount | null | undefined) {
  const pool = readAccount(account, CPMM)
  const owedOn = (side: 0 | 1) => pool.protocolFees[side] + pool.fundFees[side] + pool.creatorFees[side]
  return { ...pool, owed: [owedOn(0), owedOn(1)] as const }
}

/** Undefined: closed to trade. */
export function readOpenCpmm(account: SolanaAccount, time: number) {
  const pool = readCpmm(account)
  return (pool.status & NO_SWAPS) === 0 && pool.openTime <= BigInt(time) ? pool : undefined
}

function readAmm(account: SolanaAccount | null | undefined): LpPool {
  const pool = readAccount(account, AMM)
  if (pool.status >= STATUSES.first && pool.status <= STATUSES.last) return pool
  throw invalid(AMM.what, pool.address, `has status ${pool.status}`)
}

/** `authority` signs for all mints and vaults. */
type LpProgram = {
  label: string
  program: SolanaAddress
  authority: SolanaAddress
  layout: Layout<{ lpMint: readonly ['key', number] }>
  readPool(account: SolanaAccount | null | undefined): LpPool
}

export const lpPrograms: readonly LpProgram[] = [
  {
    label: 'CPMM',
    program: CPMM_PROGRAM,
    authority: programAddress(CPMM_PROGRAM, ['vault_and_lp_mint_auth_seed']),
    layout: CPMM,
    readPool: readCpmm,
  },
  {
    label: 'AMM v4',
    program: AMM_PROGRAM,
    authority: programAddress(AMM_PROGRAM, ['amm authority']),
    layout: AMM,
    readPool: readAmm,
  },
]

/** Anyone can create mints with this authority and send them. */
const SEARCHED_AT_ONCE = 16

/** Rounded down. Shares do not lead to a pool: the mint's authority identifies one, a search by mint finds it. */
export const raydiumPools: SolanaAdapter = {
  key: 'raydium_pools',
  title: 'Raydium Pools',
  siteUrl: 'https://raydium.io',
  ...readShareTokens('liquidity', readShares),
}

async function readShares({ reader, held, found, leftOut }: ShareScope): Promise<Map<SolanaAddress, Share>> {
  const leads = found.leads('raydium_pools')
  const mints = fungibleMints(held)
  const [shares] = await Promise.all([readKnown(reader, mints, leads), recognise(reader, mints, leads)])
  const unlocated = mints.flatMap((mint) => {
    const lead = leads.get(mint)
    const of = lead && !poolOf(lead) && programOf(lead)
    return of ? [{ mint, of }] : []
  })
  const searched = unlocated.slice(0, SEARCHED_AT_ONCE)
  if (searched.length < unlocated.length) {
    leftOut(new UpstreamError('unavailable', 'more shares of Raydium than one read searches pools of'))
  }
  const located = await Promise.all(
    searched.map(async ({ mint, of }) => ({ mint, of, pool: await locate(reader, mint, of, leads) })),
  )
  const named = located.flatMap(({ pool }) => pool?.vaults ?? [])
  const vaults = await readAccounts(reader, named)
  for (const { mint, of, pool } of located) if (pool) shares.set(mint, shareOf(of, pool, vaults))
  return shares
}

const programOf = (lead: MintLead) => lpPrograms.find(({ program }) => program === lead['program'])

function poolOf({ pool, vault0, vault1 }: MintLead): { address: SolanaAddress; vaults: SolanaAddress[] } | undefined {
  return pool && vault0 && vault1 ? { address: pool, vaults: [vault0, vault1] } : undefined
}

async function recognise(reader: SolanaReader, mints: readonly SolanaAddress[], leads: MintLeads): Promise<void> {
  const found = mintAuthorities(await reader.accounts(withoutLeads(mints, leads)))
  for (const [mint, authority] of found) {
    const of = lpPrograms.find((each) => each.authority === authority)
    leads.set(mint, of ? { program: of.program } : null)
  }
}

async function locate(
  reader: SolanaReader,
  mint: SolanaAddress,
  { program, layout: of, readPool }: LpProgram,
  leads: MintLeads,
): Promise<LpPool | undefined> {
  const filters = [ofKind(of), { offset: of.fields.lpMint[1], bytes: mint }]
  const [account, another] = await reader.programAccounts(program, filters)
  const pool = account && readPool(account)
  if (pool && (another || pool.lpMint !== mint)) throw invalid(of.what, pool.address, 'is not the one of its shares')
  leads.set(mint, pool ? { program, pool: pool.address, vault0: pool.vaults[0], vault1: pool.vaults[1] } : null)
  return pool
}

async function readKnown(
  reader: SolanaReader,
  mints: readonly SolanaAddress[],
  leads: MintLeads,
): Promise<Map<SolanaAddress, Share>> {
  const pools = mints.flatMap((mint) => {
    const lead = leads.get(mint)
    const [of, pool] = lead ? [programOf(lead), poolOf(lead)] : []
    return of && pool ? [{ mint, of, pool }] : []
  })
  const named = pools.flatMap(({ pool }) => [pool.address, ...pool.vaults])
  const accounts = await readAccounts(reader, named)
  return new Map(
    pools.map(({ mint, of, pool: { address } }) => {
      const pool = of.readPool(accounts.get(address))
      if (pool.lpMint !== mint) throw invalid(of.layout.what, address, 'is of other shares than before')
      return [mint, shareOf(of, pool, accounts)]
    }),
  )
}

function shareOf({ label, authority, layout: of }: LpProgram, pool: LpPool, accounts: Accounts): Share {
  const parts = pool.tokens.map((mint, side) => {
    const account = accounts.get(pool.vaults[side] ?? '')
    const held = heldAmount(account, 'vault of Raydium', { mint, owner: authority })
    return { token: mint, total: held - (pool.owed[side] ?? 0n) }
  })
  if (pool.shares === 0n || parts.some(({ total }) => total < 0n)) {
    throw invalid(of.what, pool.address, 'owes more than it has, or has no shares')
  }
  const decompose = (amountRaw: bigint) =>
    parts.map(({ token, total }) => ({ token, amountRaw: (amountRaw * total) / pool.shares }))
  return { label, pool: pool.address, decompose }
}
