import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { createKept, type Kept } from '../../../../lib/kept.ts'
import { UpstreamError } from '../../../../lib/upstream-error.ts'
import { type AccountLayout, invalid, ofKind, openAccount, openExisting, struct } from '../../codec/account-data.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { HeldMint, Listing, Receipt, SolanaAdapter, SolanaScope } from '../adapter.ts'
import pools from './stake-pools.json' with { type: 'json' }

type StakePoolRow = readonly [symbol: string, mint: SolanaAddress, pool: SolanaAddress]

/**
 * The SPL stake pool program and Sanctum's two deployments. Source: Sanctum's list of liquid staking tokens on npm
 * (MIT).
 */
export const stakePoolRows = pools as unknown as readonly StakePoolRow[]

const PROGRAMS: readonly SolanaAddress[] = [
  'SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy',
  'SP12tWFxD9oJsVWNavTTBZvMbA6gkAmxtVgxdqvyvhY',
  'SPMBzsVUuoHA4Jm6KunbsotaahvVikZs1JyTW6iJvbn',
]

const POOL_MINT = 162
const poolFields = struct({ shares: ['key', POOL_MINT], lamports: ['u64', 258], supply: ['u64', 266] })

const POOL = {
  what: 'stake pool',
  programs: PROGRAMS,
  /** Account type 1, in base58. */
  discriminator: '2',
  minLength: 274,
} satisfies AccountLayout

const rows = new Map(stakePoolRows.map(([symbol, mint, pool]) => [mint, { symbol, pool }]))
const HEAD: AccountLayout = { ...POOL, minLength: POOL_MINT + 32 }
/** Fixed by the program. */
const SHARE_DECIMALS = 9

type Scope = Pick<SolanaScope, 'reader' | 'held'>
type Share = HeldMint & { pool: SolanaAddress; symbol?: string }

/**
 * Rounded down, before withdrawal fees. Pools count their lamports once per epoch. A pool cannot be derived from its
 * shares: large ones are rows, others need a listing of all pools.
 */
export function createStakePools(listings: Kept<Listing> = createKept()): SolanaAdapter {
  async function listed(reader: SolanaReader, program: SolanaAddress): Promise<Listing> {
    const list = async () => {
      const heads = await reader.programAccounts(program, [ofKind(POOL.discriminator)], HEAD.minLength)
      return new Map(heads.map((head) => [openAccount(head, HEAD).key(POOL_MINT), head.address]))
    }
    return listings.find(program, list) ?? (await listings.get(program, list))
  }

  async function sharesOf({ reader, held }: Scope): Promise<{ shares: Share[]; unlisted?: UpstreamError }> {
    const shares = held.flatMap((token) => {
      const row = rows.get(token.mint)
      return row ? [{ ...token, ...row }] : []
    })
    const others = held.filter(({ mint, decimals = SHARE_DECIMALS }) => decimals === SHARE_DECIMALS && !rows.has(mint))
    if (others.length === 0) return { shares }
    const all = await Promise.allSettled(PROGRAMS.map((program) => listed(reader, program)))
    const pools = all.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const failure = all.find((outcome) => outcome.status === 'rejected')?.reason
    if (failure && !(failure instanceof UpstreamError)) throw failure
    const found = others.flatMap((token) => {
      const pool = pools.map((each) => each.get(token.mint)).find((each) => each !== undefined)
      return pool ? [{ ...token, pool }] : []
    })
    return { shares: [...shares, ...found], unlisted: failure }
  }

  return {
    name: 'stake_pools',
    key: 'spl_stake_pool',
    title: 'SPL Stake Pools',
    siteUrl: 'https://spl.solana.com/stake-pool',

    async positions({ leftOut, ...scope }) {
      const { shares, unlisted } = await sharesOf(scope)
      if (unlisted) leftOut?.(unlisted)
      const receipts = await readReceipts(scope.reader, shares)
      return shares.map(({ mint, amountRaw, pool, symbol = 'Staked SOL' }) => ({
        kind: 'staked' as const,
        label: symbol,
        pool,
        supplied: receipts.get(mint)?.decompose(amountRaw) ?? [],
        receipts: [mint],
      }))
    },

    receipts: async (scope) => readReceipts(scope.reader, (await sharesOf(scope)).shares),
  }
}

async function readReceipts(reader: SolanaReader, shares: readonly Share[]): Promise<Map<SolanaAddress, Receipt>> {
  const accounts = await reader.accounts(shares.map(({ pool }) => pool))
  return new Map(
    shares.map(({ mint }, index) => {
      const pool = openExisting(accounts[index], POOL)
      const { shares: own, lamports, supply } = poolFields(pool)
      if (own !== mint) throw invalid(POOL.what, pool.address, 'is of another mint')
      const decompose = (amountRaw: bigint) => [
        { token: NATIVE_SOL, amountRaw: supply === 0n ? 0n : (amountRaw * lamports) / supply },
      ]
      return [mint, { decompose }]
    }),
  )
}
