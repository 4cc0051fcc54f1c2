import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { upstreamOnly } from '../../../../lib/upstream-error.ts'
import { invalid, layout, readAccount } from '../../codec/account-data.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { shareIn } from '../amounts.ts'
import { listPools, readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'
import published from './stake-pools.json' with { type: 'json' }

/** Source: Sanctum's list of liquid staking tokens on npm (MIT). */
export const stakePoolRows = published as unknown as readonly [string, SolanaAddress, SolanaAddress][]

/** The SPL stake pool program and Sanctum's two deployments. */
const PROGRAMS: readonly SolanaAddress[] = [
  'SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy',
  'SP12tWFxD9oJsVWNavTTBZvMbA6gkAmxtVgxdqvyvhY',
  'SPMBzsVUuoHA4Jm6KunbsotaahvVikZs1JyTW6iJvbn',
]

const POOL = layout(
  // Account type 1, in base58.
  { what: 'stake pool', programs: PROGRAMS, discriminator: '2', minLength: 274 },
  { sharesMint: ['key', 162], lamports: ['u64', 258], supply: ['u64', 266] },
)
const HEAD = { ...POOL, minLength: 194 }
/** Fixed by the program. */
const SHARE_DECIMALS = 9

type Held = { mint: SolanaAddress; pool: SolanaAddress; label: string }
const rows = new Map(stakePoolRows.map(([label, mint, pool]): [SolanaAddress, Held] => [mint, { mint, pool, label }]))

/** Before withdrawal fees. Shares do not lead to a pool: large ones are rows, others need a listing of all. */
export const stakePools: SolanaAdapter = {
  key: 'spl_stake_pool',
  title: 'SPL Stake Pools',
  siteUrl: 'https://spl.solana.com/stake-pool',
  ...readShareTokens('staked', readShares),
}

async function readShares(scope: ShareScope): Promise<Map<SolanaAddress, Share>> {
  const named = scope.held.flatMap(({ mint }) => rows.get(mint) ?? [])
  const shares = [...named, ...(await findUnlisted(scope))]
  const accounts = await scope.reader.accounts(shares.map(({ pool }) => pool))
  return new Map(
    shares.map(({ mint, pool, label }, index) => {
      const { sharesMint, lamports, supply } = readAccount(accounts[index], POOL)
      if (sharesMint !== mint) throw invalid(POOL.what, pool, 'is of another mint')
      return [mint, { label, pool, ...shareIn(NATIVE_SOL, lamports, supply) }]
    }),
  )
}

async function findUnlisted({ reader, held, found, leftOut }: ShareScope): Promise<Held[]> {
  const others = held.filter(({ mint, decimals = SHARE_DECIMALS }) => decimals === SHARE_DECIMALS && !rows.has(mint))
  if (others.length === 0) return []
  const listed = async (program: SolanaAddress) => {
    const list = () => listPools(reader, program, HEAD)
    return found.pools.find(program, list) ?? (await found.pools.get(program, list))
  }
  const all = await Promise.allSettled(PROGRAMS.map(listed))
  const failure = all.find((outcome) => outcome.status === 'rejected')
  if (failure) leftOut(upstreamOnly(failure.reason))
  const pools = all.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  return others.flatMap(({ mint }) => {
    const pool = pools.map((each) => each.get(mint)).find((each) => each !== undefined)
    return pool ? [{ mint, pool, label: 'Staked SOL' }] : []
  })
}
