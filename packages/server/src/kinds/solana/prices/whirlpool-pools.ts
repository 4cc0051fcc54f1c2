import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, startsWith } from '../codec/account-data.ts'
import { addressBytes } from '../codec/address-bytes.ts'
import { integerSeed, programAddress } from '../codec/program-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import {
  type Accounts,
  arrayStarts,
  type Concentrated,
  type PoolHead,
  type PoolProgram,
  rangePool,
  type Tick,
  vaultBalance,
  virtualQuote,
} from './solana-pool.ts'

const PROGRAM: SolanaAddress = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
/** The configuration of the pools that Orca lists; other pools have their own. */
const CONFIG: SolanaAddress = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'
/** The tick spacings of Orca's fee tiers; the addresses of pools depend on them. */
const TICK_SPACINGS = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896]
const TICKS_PER_ARRAY = 88

const poolLayout: AccountLayout = {
  what: 'pool of Orca',
  programs: [PROGRAM],
  discriminator: 'BdrfaPg3xM6',
  minLength: 653,
}
const TICK_SPACING = 41
const FEE_RATE = 45
const LIQUIDITY = 49
const SQRT_PRICE = 65
const TICK = 81
const MINT_A = 101
const VAULT_A = 133
const MINT_B = 181
const VAULT_B = 213

const fixedLayout: AccountLayout = {
  what: 'tick array of Orca',
  programs: [PROGRAM],
  discriminator: 'Cc6F4MyvbgN',
  minLength: 9_988,
}
const FIXED_TICKS = 12
const FIXED_POOL = 9_956
/** Discriminator of arrays in which an unused tick takes one byte. */
const DYNAMIC = '3z9JotG6VfM'
const dynamicLayout: AccountLayout = {
  what: 'tick array of Orca',
  programs: [PROGRAM],
  discriminator: DYNAMIC,
  minLength: 148,
}
const DYNAMIC_POOL = 12
const DYNAMIC_TICKS = 60
const ARRAY_START = 8
/** A flag, liquidity net and gross, and growths outside. */
const TICK_BYTES = 113
const TICK_NET = 1

/** Orca's Whirlpools. They keep no past price. */
export const whirlpoolPools: PoolProgram = {
  source: 'orca',
  kind: 'range',
  program: PROGRAM,
  addresses: ([mintA, mintB]) =>
    TICK_SPACINGS.map((spacing) =>
      programAddress(PROGRAM, [
        'whirlpool',
        addressBytes(CONFIG),
        addressBytes(mintA),
        addressBytes(mintB),
        integerSeed(spacing, 2),
      ]),
    ),
  open: readHead,
}

function readHead(account: SolanaAccount): PoolHead {
  const data = openAccount(account, poolLayout)
  const { address } = account
  const pool: Concentrated = {
    liquidity: data.u128(LIQUIDITY),
    sqrtPriceX64: data.u128(SQRT_PRICE),
    tick: data.i32(TICK),
    tickSpacing: data.u16(TICK_SPACING),
    ticksPerArray: TICKS_PER_ARRAY,
  }
  const mints = [data.key(MINT_A), data.key(MINT_B)] as const
  const quoteOf = (tokenIs0: boolean) =>
    tokenIs0 ? { mint: mints[1], vault: data.key(VAULT_B) } : { mint: mints[0], vault: data.key(VAULT_A) }
  const arraysOf = (tokenIs0: boolean) =>
    arrayStarts(pool, tokenIs0).map((start) => ({ start, at: arrayAddress(address, start) }))
  return {
    address,
    mints,
    weight: (tokenIs0) => virtualQuote(pool, tokenIs0),
    needs: (tokenIs0) => [quoteOf(tokenIs0).vault, ...arraysOf(tokenIs0).map(({ at }) => at)],
    finish(tokenIs0, accounts) {
      const { mint, vault } = quoteOf(tokenIs0)
      return rangePool(pool, {
        tokenIs0,
        quoteBalance: vaultBalance(vault, mint, accounts),
        feeMillionths: data.u16(FEE_RATE),
        meanTick: null,
        ticks: arraysOf(tokenIs0).flatMap((array) => ticksIn(accounts, { ...array, address, pool })),
      })
    },
  }
}

function arrayAddress(pool: SolanaAddress, start: number): SolanaAddress {
  return programAddress(PROGRAM, ['tick_array', addressBytes(pool), start.toString()])
}

function ticksIn(
  accounts: Accounts,
  { start, at, address, pool }: { start: number; at: SolanaAddress; address: SolanaAddress; pool: Concentrated },
): Tick[] {
  const account = accounts.get(at)
  if (account?.owner !== PROGRAM) return []
  const isDynamic = startsWith(account.data, DYNAMIC)
  const layout = isDynamic ? dynamicLayout : fixedLayout
  const data = openAccount(account, layout)
  if (data.i32(ARRAY_START) !== start || data.key(isDynamic ? DYNAMIC_POOL : FIXED_POOL) !== address) {
    throw invalid(layout.what, at, 'is of another pool')
  }
  return ticksOf(data, isDynamic).map(({ index, net }) => ({ tick: start + index * pool.tickSpacing, net }))
}

function ticksOf(data: AccountData, isDynamic: boolean): { index: number; net: bigint }[] {
  const ticks: { index: number; net: bigint }[] = []
  let at = isDynamic ? DYNAMIC_TICKS : FIXED_TICKS
  for (let index = 0; index < TICKS_PER_ARRAY; index += 1) {
    const inUse = data.flag(at)
    if (inUse) ticks.push({ index, net: data.i128(at + TICK_NET) })
    at += inUse || !isDynamic ? TICK_BYTES : 1
  }
  return ticks
}
