import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountLayout, invalid, openExisting } from '../../codec/account-data.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { HeldMint, Receipt, SolanaFamily } from '../family.ts'
import { stakePoolRows } from './rows.ts'

const ACCOUNT_TYPE_POOL = 1
const TYPE = 0
const POOL_MINT = 162
const TOTAL_LAMPORTS = 258
const POOL_TOKEN_SUPPLY = 266

const POOL: AccountLayout = {
  what: 'stake pool',
  programs: [
    'SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy',
    'SP12tWFxD9oJsVWNavTTBZvMbA6gkAmxtVgxdqvyvhY',
    'SPMBzsVUuoHA4Jm6KunbsotaahvVikZs1JyTW6iJvbn',
  ],
  minLength: POOL_TOKEN_SUPPLY + 8,
}

const pools = new Map(stakePoolRows.map(([symbol, mint, pool]) => [mint, { symbol, pool }]))

/**
 * Staked SOL in SPL stake pools: a share stands for its part of the pool's lamports as the pool last counted them (once an
 * epoch), rounded down, before the fee that a pool may take on withdrawal.
 */
export const stakePools: SolanaFamily = {
  name: 'stake_pools',
  key: 'spl_stake_pool',
  title: 'SPL Stake Pools',
  siteUrl: 'https://spl.solana.com/stake-pool',

  async positions({ reader, held }) {
    const shares = sharesOf(held)
    const receipts = await readReceipts(reader, shares)
    return shares.map(({ mint, amountRaw, symbol, pool }) => ({
      kind: 'staked' as const,
      label: symbol,
      pool,
      supplied: receipts.get(mint)?.decompose(amountRaw) ?? [],
      borrowed: [],
      rewards: [],
      receipts: [mint],
    }))
  },

  receipts: ({ reader, held }) => readReceipts(reader, sharesOf(held)),
}

type Shares = HeldMint & { symbol: string; pool: SolanaAddress }

const sharesOf = (held: readonly HeldMint[]): Shares[] =>
  held.flatMap((token) => {
    const row = pools.get(token.mint)
    return row ? [{ ...token, ...row }] : []
  })

async function readReceipts(reader: SolanaReader, shares: readonly Shares[]): Promise<Map<SolanaAddress, Receipt>> {
  const accounts = await reader.accounts(shares.map(({ pool }) => pool))
  return new Map(
    shares.map(({ mint }, index) => {
      const pool = openExisting(accounts[index], POOL)
      if (pool.u8(TYPE) !== ACCOUNT_TYPE_POOL) throw invalid(POOL.what, pool.address, 'is of another kind')
      if (pool.key(POOL_MINT) !== mint) throw invalid(POOL.what, pool.address, 'is of another mint')
      const [lamports, supply] = [pool.u64(TOTAL_LAMPORTS), pool.u64(POOL_TOKEN_SUPPLY)]
      const decompose = (amountRaw: bigint) => [
        { token: NATIVE_SOL, amountRaw: supply === 0n ? 0n : (amountRaw * lamports) / supply },
      ]
      return [mint, { decompose }]
    }),
  )
}
