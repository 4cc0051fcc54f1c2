import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountLayout, invalid, openExisting, struct } from '../../codec/account-data.ts'
import { TOKEN_PROGRAM } from '../../codec/mint.ts'
import type { SolanaFamily } from '../family.ts'
import { readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'

const INF = '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm'
const POOL = 'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW'

const KNOWN_VERSION = 1
const POOL_LAYOUT: AccountLayout = {
  what: 'pool of Sanctum',
  programs: ['5ocnV1qiCgaQR8Jb8xWnVbApfaygJ8tNoZfgPwsgx9kx'],
  minLength: 176,
}
const poolFields = struct({ value: ['u64', 0], version: ['u8', 12], mint: ['key', 144] })

const MINT_LAYOUT: AccountLayout = { what: 'mint of INF', programs: [TOKEN_PROGRAM], minLength: 82 }
const SUPPLY = 36

/**
 * Sanctum's pool of staked SOL: INF stands for its share of the SOL value that the pool last recorded for all its tokens,
 * rounded down, before the fee for taking one of them out.
 */
export const sanctum: SolanaFamily = {
  name: 'sanctum',
  key: 'sanctum',
  title: 'Sanctum',
  siteUrl: 'https://sanctum.so',

  ...readShareTokens('staked', readShares),
}

async function readShares({ reader, held }: ShareScope): Promise<Map<SolanaAddress, Share>> {
  if (!held.some(({ mint }) => mint === INF)) return new Map()
  const [poolAccount, mintAccount] = await reader.accounts([POOL, INF])
  const { value, version, mint } = poolFields(openExisting(poolAccount, POOL_LAYOUT))
  if (version !== KNOWN_VERSION) throw invalid(POOL_LAYOUT.what, POOL, `has version ${version}`)
  if (mint !== INF) throw invalid(POOL_LAYOUT.what, POOL, 'is of another mint')
  const supply = openExisting(mintAccount, MINT_LAYOUT).u64(SUPPLY)
  const decompose = (amountRaw: bigint) => [
    { token: NATIVE_SOL, amountRaw: supply === 0n ? 0n : (amountRaw * value) / supply },
  ]
  return new Map([[INF, { label: 'INF', pool: POOL, receipt: { decompose } }]])
}
