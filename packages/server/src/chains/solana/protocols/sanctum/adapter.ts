import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, invalid, layout, readAccount, readFields } from '../../codec/account-data.ts'
import { supplyOf } from '../../codec/token-program.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { dividedUp, shareIn } from '../amounts.ts'
import { readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'

const INF = '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm'
const POOL_ADDRESS = 'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW'
const PROGRAM = '5ocnV1qiCgaQR8Jb8xWnVbApfaygJ8tNoZfgPwsgx9kx'

const POOL = layout(
  { what: 'pool of Sanctum', programs: [PROGRAM], minLength: 176 },
  { value: ['u64', 0], version: ['u8', 12], mint: ['key', 144] },
)
const BILLION = 1_000_000_000n
const FRACTION_BITS = 63n
const ONE = 1n << FRACTION_BITS

/** Before withdrawal fees. Version 2 releases yields per slot. Source: igneous-labs/inf-1.5 (`yields/release.rs`). */
export const sanctum: SolanaAdapter = {
  key: 'sanctum',
  title: 'Sanctum',
  siteUrl: 'https://sanctum.so',

  ...readShareTokens('staked', readShares),
}

async function readShares({ reader, held, clock }: ShareScope): Promise<Map<SolanaAddress, Share>> {
  if (!held.some(({ mint }) => mint === INF)) return new Map()
  const [poolAccount, mintAccount] = await reader.accounts([POOL_ADDRESS, INF])
  const { value: all, version, mint, data } = readAccount(poolAccount, POOL)
  if (version !== 1 && version !== 2) throw invalid(POOL.what, POOL_ADDRESS, `has version ${version}`)
  const value = version === 1 ? all : all - keptBack(data, clock.slot)
  if (value < 0n) throw invalid(POOL.what, POOL_ADDRESS, 'withholds more than it has')
  if (mint !== INF) throw invalid(POOL.what, POOL_ADDRESS, 'is of another mint')
  return new Map([[INF, { label: 'INF', pool: POOL_ADDRESS, ...shareIn(NATIVE_SOL, value, supplyOf(mintAccount)) }]])
}

/** `fee`: billionths. `released`: fraction per slot, times 2^63. */
function keptBack(pool: AccountData, slot: bigint): bigint {
  const { fee, released, withheld, protocol, since } = readFields(pool, {
    fee: ['u32', 8],
    released: ['u64', 208],
    withheld: ['u64', 216],
    protocol: ['u64', 224],
    since: ['u64', 232],
  })
  const left = powerOf(ONE - released, slot > since ? slot - since : 0n)
  const stillWithheld = dividedUp(withheld * left, ONE)
  return stillWithheld + protocol + dividedUp((withheld - stillWithheld) * BigInt(fee), BILLION)
}

/** Rounds each product to the nearest, as the program does. */
function powerOf(base: bigint, exponent: bigint): bigint {
  const product = (a: bigint, b: bigint) => (a * b + (ONE >> 1n)) >> FRACTION_BITS
  let [power, square] = [ONE, base]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) power = product(power, square)
    square = product(square, square)
  }
  return power
}
