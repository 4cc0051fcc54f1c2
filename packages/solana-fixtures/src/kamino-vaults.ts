import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { VaultState } from '@kamino-finance/klend-sdk/dist/@codegen/kvault/accounts/VaultState.js'
import { Decimal } from 'decimal.js'
import { addressBytes, addressOf, derived, NOBODY, USDC } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { accrued, type KaminoReserveFigures, kaminoFigures, reserveData } from './kamino-lend.ts'
import { anchorData, type Idl } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const require = createRequire(import.meta.url)
const idl = JSON.parse(readFileSync(require.resolve('@kamino-finance/klend-sdk/dist/idl/kvault.json'), 'utf8')) as Idl

const PROGRAM = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'
const LEND = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'
const Exact = Decimal.clone({ precision: 120 })

/** `pendingFeesSf`: times 2^60, owed to the manager. */
export type KaminoVaultFigures = {
  slot: bigint
  name: string
  available: bigint
  pendingFeesSf: bigint
  shares: bigint
  held: bigint
  lent: readonly { collateral: bigint; reserve: KaminoReserveFigures }[]
}

export const kaminoVaultFigures = (slot: bigint): KaminoVaultFigures => {
  const { sol, usdc } = kaminoFigures(slot)
  return {
    slot,
    name: 'Prime USDC',
    available: 12_345_678_901n,
    pendingFeesSf: 1_234_567n * 2n ** 60n + 5n,
    shares: 1_987_654_321_098n,
    held: 4_321_098_765n,
    lent: [
      { collateral: 876_543_210_987n, reserve: { ...sol, priceSf: usdc.priceSf } },
      { collateral: 765_432_109_876n, reserve: usdc },
    ],
  }
}

/** Codec and arithmetic are Kamino's library's. */
export const kaminoVault = async (wallet: string, figures: KaminoVaultFigures): Promise<Fixture> => {
  const vault = addressOf('kamino vault')
  const mint = await derived(PROGRAM, ['shares', addressBytes(vault)])
  const authority = await derived(PROGRAM, ['authority', addressBytes(vault)])
  const reserves = figures.lent.map(({ reserve }, index) => ({
    at: addressOf(`kamino vault reserve ${index}`),
    data: reserveData(USDC, 6n, reserve),
  }))
  const data = anchorData(idl, 'VaultState', {
    vaultAdminAuthority: addressOf('kamino vault admin'),
    baseVaultAuthority: authority,
    tokenMint: USDC,
    tokenMintDecimals: 6n,
    sharesMint: mint,
    sharesMintDecimals: 6n,
    tokenAvailable: figures.available,
    sharesIssued: figures.shares,
    pendingFeesSf: figures.pendingFeesSf,
    // A reserve that the vault left keeps its slot.
    vaultAllocationStrategy: [
      { reserve: NOBODY },
      ...figures.lent.map(({ collateral }, index) => ({
        reserve: reserves[index]?.at,
        targetAllocationWeight: 50n,
        ctokenAllocation: collateral,
      })),
    ],
    name: new TextEncoder().encode(figures.name),
  })
  const token = { mint, amountRaw: figures.held, decimals: 6 }
  return {
    accounts: [
      fixtureAccount(vault, PROGRAM, data),
      ...reserves.map((reserve) => fixtureAccount(reserve.at, LEND, reserve.data)),
      ...(await heldAccounts(wallet, token, figures.shares, authority)),
    ],
    held: [token],
    expected: [position('yield', { supplied: [{ token: USDC, amountRaw: worth(data, figures, reserves) }] })],
  }
}

/** Shares ÷ all shares × (available + collateral at its rate − pending fees). */
const worth = (
  data: Uint8Array,
  { slot, held }: KaminoVaultFigures,
  reserves: readonly { at: string; data: Uint8Array }[],
): bigint => {
  const state = VaultState.decode(Buffer.from(data))
  const lent = state.vaultAllocationStrategy.flatMap(({ reserve, ctokenAllocation }) => {
    const found = reserves.find(({ at }) => at === reserve)
    const rate = found && accrued(found.data, slot).perCollateral
    return rate ? [rate.mul(ctokenAllocation.toString()).floor()] : []
  })
  const fees = new Exact(state.pendingFeesSf.toString()).div(new Exact(2).pow(60))
  const all = lent.reduce((sum, part) => sum.add(part), new Exact(state.tokenAvailable.toString())).sub(fees)
  return BigInt(all.mul(held.toString()).div(state.sharesIssued.toString()).floor().toFixed(0))
}
