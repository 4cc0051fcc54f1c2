import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountLayout, invalid, openExisting } from '../../codec/account-data.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { Receipt, SolanaFamily, SolanaScope } from '../family.ts'

const INF = '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm'
const POOL = 'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW'

const TOTAL_SOL_VALUE = 0
const VERSION = 12
const LP_MINT = 144
const KNOWN_VERSION = 1
const POOL_LAYOUT: AccountLayout = {
  what: 'pool of Sanctum',
  programs: ['5ocnV1qiCgaQR8Jb8xWnVbApfaygJ8tNoZfgPwsgx9kx'],
  minLength: LP_MINT + 32,
}

const SUPPLY = 36
const MINT_LAYOUT: AccountLayout = {
  what: 'mint of INF',
  programs: ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  minLength: 82,
}

/**
 * Sanctum's pool of staked SOL: INF stands for its share of the SOL value that the pool last recorded for all its tokens,
 * rounded down, before the fee for taking one of them out.
 */
export const sanctum: SolanaFamily = {
  name: 'sanctum',
  key: 'sanctum',
  title: 'Sanctum',
  siteUrl: 'https://sanctum.so',

  async positions(scope) {
    const receipts = await readReceipts(scope)
    const held = scope.held.filter(({ mint }) => receipts.has(mint))
    return held.map(({ mint, amountRaw }) => ({
      kind: 'staked' as const,
      label: 'INF',
      pool: POOL,
      supplied: receipts.get(mint)?.decompose(amountRaw) ?? [],
      borrowed: [],
      rewards: [],
      receipts: [mint],
    }))
  },

  receipts: readReceipts,
}

async function readReceipts({
  reader,
  held,
}: {
  reader: SolanaReader
  held: SolanaScope['held']
}): Promise<Map<SolanaAddress, Receipt>> {
  if (!held.some(({ mint }) => mint === INF)) return new Map()
  const [poolAccount, mintAccount] = await reader.accounts([POOL, INF])
  const pool = openExisting(poolAccount, POOL_LAYOUT)
  if (pool.u8(VERSION) !== KNOWN_VERSION) throw invalid(POOL_LAYOUT.what, POOL, `has version ${pool.u8(VERSION)}`)
  if (pool.key(LP_MINT) !== INF) throw invalid(POOL_LAYOUT.what, POOL, 'is of another mint')
  const value = pool.u64(TOTAL_SOL_VALUE)
  const supply = openExisting(mintAccount, MINT_LAYOUT).u64(SUPPLY)
  const decompose = (amountRaw: bigint) => [
    { token: NATIVE_SOL, amountRaw: supply === 0n ? 0n : (amountRaw * value) / supply },
  ]
  return new Map([[INF, { decompose }]])
}
