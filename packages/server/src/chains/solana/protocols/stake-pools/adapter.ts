import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { createKept, type Kept } from '../../../../lib/kept.ts'
import { upstreamOnly } from '../../../../lib/upstream-error.ts'
import { type AccountLayout, invalid, ofKind, openAccount, openExisting, struct } from '../../codec/account-data.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { Listing, SolanaAdapter } from '../adapter.ts'
import { shareIn } from '../amounts.ts'
import { readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'
import published from './stake-pools.json' with { type: 'json' }

type StakePoolRow = readonly [symbol: string, mint: SolanaAddress, pool: SolanaAddress]

/**
 * The SPL stake pool program and Sanctum's two deployments. Source: Sanctum's list of liquid staking tokens on npm
 * (MIT).
 */
export const stakePoolRows = published as unknown as readonly StakePoolRow[]

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

const rows = new Map(stakePoolRows.map(([label, mint, pool]) => [mint, { mint, pool, label }]))
const HEAD: AccountLayout = { ...POOL, minLength: POOL_MINT + 32 }
/** Fixed by the program. */
const SHARE_DECIMALS = 9

type Held = { mint: SolanaAddress; pool: SolanaAddress; label: string }

/**
 * Rounded down, before withdrawal fees. Pools count lamports once per epoch. Shares do not lead to a pool: large ones
 * are rows, others need a listing of all.
 */
export function createStakePools(listings: Kept<Listing> = createKept()): SolanaAdapter {
  async function listed(reader: SolanaReader, program: SolanaAddress): Promise<Listing> {
    const list = async () => {
      const heads = await reader.programAccounts(program, [ofKind(POOL.discriminator)], HEAD.minLength)
      return new Map(heads.map((head) => [openAccount(head, HEAD).key(POOL_MINT), head.address]))
    }
    return listings.find(program, list) ?? (await listings.get(program, list))
  }

  async function findUnnamed({ reader, held, leftOut }: ShareScope): Promise<Held[]> {
    const others = held.filter(({ mint, decimals = SHARE_DECIMALS }) => decimals === SHARE_DECIMALS && !rows.has(mint))
    if (others.length === 0) return []
    const all = await Promise.allSettled(PROGRAMS.map((program) => listed(reader, program)))
    const failure = all.find((outcome) => outcome.status === 'rejected')
    if (failure) leftOut(upstreamOnly(failure.reason))
    const pools = all.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return others.flatMap(({ mint }) => {
      const pool = pools.map((each) => each.get(mint)).find((each) => each !== undefined)
      return pool ? [{ mint, pool, label: 'Staked SOL' }] : []
    })
  }

  async function readShares(scope: ShareScope): Promise<Map<SolanaAddress, Share>> {
    const named = scope.held.flatMap(({ mint }) => rows.get(mint) ?? [])
    const shares = [...named, ...(await findUnnamed(scope))]
    const accounts = await scope.reader.accounts(shares.map(({ pool }) => pool))
    return new Map(
      shares.map(({ mint, pool, label }, index) => {
        const { shares: own, lamports, supply } = poolFields(openExisting(accounts[index], POOL))
        if (own !== mint) throw invalid(POOL.what, pool, 'is of another mint')
        return [mint, { label, pool, receipt: shareIn(NATIVE_SOL, lamports, supply) }]
      }),
    )
  }

  return {
    name: 'stake_pools',
    key: 'spl_stake_pool',
    title: 'SPL Stake Pools',
    siteUrl: 'https://spl.solana.com/stake-pool',
    ...readShareTokens('staked', readShares),
  }
}
