import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, anchorLayout, list } from '../../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../../codec/address.ts'

/** Offsets of interface versions 0.1.4 and 0.1.5, without padding. Prices are times 10^12, times in Unix seconds. */
export const LENDING_PROGRAM: SolanaAddress = 'jup3YeL8QhtSx1e253b2FDvsMNC87fDrgQZivbrndc9'
export const VAULTS_PROGRAM: SolanaAddress = 'jupr81YtYssSyPt8jbnGuiWon5f6x9TcDEFxYe3Bdzi'
const LIQUIDITY_PROGRAM: SolanaAddress = 'jupeiUmn818Jg1ekPURTpr4mFo29p46vygyykFJ3wZC'
const REWARDS_PROGRAM: SolanaAddress = 'jup7TthsMgcR9Y3L277b8Eo9uboVSmu1utkuXHNUKar'

export const LENDING_ADMIN = programAddress(LENDING_PROGRAM, ['lending_admin'])
/** Update authority of position NFTs, whose mints have no authority. */
export const VAULT_ADMIN = programAddress(VAULTS_PROGRAM, ['vault_admin'])

export const LENDING = anchorLayout('lending of Jupiter', LENDING_PROGRAM, 'PiDuNSLmEPr', 196, {
  token: ['key', 8],
  shares: ['key', 40],
  rewards: ['key', 75],
  liquidityPrice: ['u64', 107],
  sharePrice: ['u64', 115],
  updatedAt: ['u64', 123],
  reserve: ['key', 131],
})
export type Lending = AccountOf<typeof LENDING>

/** `start`: 0 before the first phase. `nextAmount`: 0 without a next phase, which begins where this one ends. */
export const REWARDS = anchorLayout('rewards of Jupiter', REWARDS_PROGRAM, 'Up9XXARvXRe', 89, {
  token: ['key', 8],
  minAssets: ['u64', 40],
  duration: ['u64', 48],
  start: ['u64', 56],
  yearly: ['u64', 64],
  nextDuration: ['u64', 72],
  nextAmount: ['u64', 80],
})
export type Rewards = AccountOf<typeof REWARDS>

/** Rates, fee and utilisation in basis points. Pairs: with interest, interest-free. */
export const RESERVE = anchorLayout('token reserve of Jupiter', LIQUIDITY_PROGRAM, '4XRCaxYacbu', 192, {
  token: ['key', 8],
  borrowRate: ['u16', 72],
  fee: ['u16', 74],
  utilisation: ['u16', 76],
  updatedAt: ['u64', 78],
  supplyPrice: ['u64', 86],
  borrowPrice: ['u64', 94],
  supplied: ['u64', 104, 112],
  borrowed: ['u64', 120, 128],
})
export type Reserve = AccountOf<typeof RESERVE>

/** `supply` and `dustDebt`: times the vault's prices. */
export const POSITION = anchorLayout('position of Jupiter Lend', VAULTS_PROGRAM, 'VZMoMoKgZQb', 71, {
  vault: ['u16', 8],
  mint: ['key', 14],
  isSupplyOnly: ['flag', 46],
  tick: ['i32', 47],
  tickId: ['u32', 51],
  supply: ['u64', 55],
  dustDebt: ['u64', 63],
})

/** Magnifiers: basis points a year. `type`: the high byte of the fee before version 0.1.5, so 0 in vaults of tokens. */
export const CONFIG = anchorLayout('vault of Jupiter Lend', VAULTS_PROGRAM, 'HcgzY9wQbFa', 219, {
  vault: ['u16', 8],
  magnifiers: ['i16', 10, 12],
  type: ['u8', 25],
  tokens: ['key', 154, 186],
})

export const STATE = anchorLayout('vault state of Jupiter Lend', VAULTS_PROGRAM, 'fGKsWeCxBaF', 127, {
  vault: ['u16', 8],
  liquidityPrices: ['u64', 83, 91],
  prices: ['u64', 99, 107],
  updatedAt: ['u64', 119],
})
export type VaultState = AccountOf<typeof STATE>

export const METADATA = anchorLayout('vault metadata of Jupiter Lend', VAULTS_PROGRAM, 'ibexC3fKvYG', 44, {
  vault: ['u16', 8],
  decimals: ['u8', 42, 43],
})

/** `ids`: how often the tick began. The last fields are of its last liquidation. */
export const TICK = anchorLayout('tick of Jupiter Lend', VAULTS_PROGRAM, 'WVzaTvZ8cUr', 40, {
  vault: ['u16', 8],
  tick: ['i32', 10],
  isLiquidated: ['flag', 14],
  ids: ['u32', 15],
  isFullyLiquidated: ['flag', 27],
  branch: ['u32', 28],
  factor: ['u64', 32],
})

const PAST_TICKS_A_GROUP = 3
export const PAST_TICKS = anchorLayout('past ticks of Jupiter Lend', VAULTS_PROGRAM, '7sqm2MsqJqJ', 57, {
  vault: ['u16', 8],
  tick: ['i32', 10],
  group: ['u32', 14],
  past: list(
    { from: 18, count: PAST_TICKS_A_GROUP, size: 13 },
    { isFullyLiquidated: ['flag', 0], branch: ['u32', 1], factor: ['u64', 5] },
  ),
})
/** IDs count from 1. */
export const pastTickGroup = (id: number) => Math.ceil(id / PAST_TICKS_A_GROUP)
export const placeInGroup = (id: number) => (id - 1) % PAST_TICKS_A_GROUP

/** `partials`: of 2^30 − 1 parts. `factor`: of the debt, or of the connection once merged. */
export const BRANCH = anchorLayout('branch of Jupiter Lend', VAULTS_PROGRAM, '3PDkN1tPMSk', 47, {
  vault: ['u16', 8],
  id: ['u32', 10],
  status: ['u8', 14],
  tick: ['i32', 15],
  partials: ['u32', 19],
  factor: ['u64', 31],
  connected: ['u32', 39],
})
export const BRANCH_STATUS = { liquidated: 1, merged: 2, closed: 3 } as const

const ofVault = (name: string, vault: number, ...ids: (readonly [number, 2 | 4])[]): SolanaAddress =>
  programAddress(VAULTS_PROGRAM, [name, integerSeed(vault, 2), ...ids.map(([id, bytes]) => integerSeed(id, bytes))])
/** Seeds of ticks are not negative. */
const TICK_BIAS = 16_383

export const vaultAddresses = (vault: number) => ({
  config: ofVault('vault_config', vault),
  state: ofVault('vault_state', vault),
  metadata: ofVault('vault_metadata', vault),
})
export const tickAddress = (vault: number, tick: number) => ofVault('tick', vault, [tick + TICK_BIAS, 4])
export const pastTicksAddress = (vault: number, tick: number, id: number) =>
  ofVault('tick_id_liquidation', vault, [tick + TICK_BIAS, 4], [pastTickGroup(id), 4])
export const branchAddress = (vault: number, id: number) => ofVault('branch', vault, [id, 4])
export const reserveAddress = (token: SolanaAddress) =>
  programAddress(LIQUIDITY_PROGRAM, ['reserve', addressBytes(token)])
