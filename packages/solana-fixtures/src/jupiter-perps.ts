import { Custody } from '@kamino-finance/klend-sdk/dist/@codegen/jupiter_perps/accounts/Custody.js'
import { Position } from '@kamino-finance/klend-sdk/dist/@codegen/jupiter_perps/accounts/Position.js'
import { Decimal } from 'decimal.js'
import { addressOf, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { handData } from './layout.ts'

const PROGRAM = 'PERPHjGBqRHArX4DySjwM6UJHiR3sWAatqfdBS2qQJu'
const POOL = '5BUwFW4nRbftYTDMbgxykoFWqWHPzahFSNAaaaJtVKsq'
const SOL_CUSTODY = '7xS2gz2bTp3fwCC7knJvUWTEU9Tycczu6VhJYKgi1wdz'
const USDC_CUSTODY = 'G18jKKXQwBbrHeiK3C9MRXhkHsLHf7XgCSisykV46EZa'
const SHORT = 2

const Exact = Decimal.clone({ precision: 80 })

/**
 * USD and prices with 6 decimals, rates with 9. `side`: 1 long, 2 short. `cumulative`: of the collateral's custody,
 * USDC's for a short.
 */
export type JupiterPerpsFigures = {
  side: number
  price: bigint
  size: bigint
  collateral: bigint
  snapshot: bigint
  cumulative: bigint
}

export const jupiterPerpsFigures: JupiterPerpsFigures = {
  side: 1,
  price: 152_345_678n,
  size: 1_500_000_001n,
  collateral: 300_000_007n,
  snapshot: 123_456_789n,
  cumulative: 124_567_891n,
}

const custodyData = (mint: string, decimals: number, cumulative: bigint): Uint8Array =>
  handData('Custody', [
    ['publicKey', POOL],
    ['publicKey', mint],
    ['publicKey', addressOf(`${mint} of Jupiter`)],
    ['u8', decimals],
    ['bool', false],
    [{ array: ['u8', 45] }, []],
    // Price impact scalar, buffer, spread, maximum leverage (500) and size limits.
    [{ array: ['u64', 6] }, [1_250_000_000_000_000n, 0n, 0n, 5_000_000n, 0n, 0n]],
    [{ array: ['u8', 7] }, []],
    ['u64', 4_000n],
    [{ array: ['u64', 6] }, []],
    ['u128', cumulative],
    ['i64', 1_790_000_000n],
    ['u64', 10n],
    [{ array: ['u8', 2] }, []],
    // Opening and closing fees, in basis points.
    ['u64', 5n],
    ['u64', 6n],
  ])

/** Encoded by hand, read back with a published codec. */
export const jupiterPerps = async (wallet: string, figures = jupiterPerpsFigures): Promise<Fixture> => {
  const data = handData('Position', [
    ['publicKey', wallet],
    ['publicKey', POOL],
    ['publicKey', SOL_CUSTODY],
    ['publicKey', figures.side === SHORT ? USDC_CUSTODY : SOL_CUSTODY],
    ['i64', 1_789_000_000n],
    ['i64', 1_789_500_000n],
    ['u8', figures.side],
    ['u64', figures.price],
    ['u64', figures.size],
    ['u64', figures.collateral],
    ['i64', 0n],
    ['u128', figures.snapshot],
    ['u64', 5_000_000_000n],
    ['u8', 255],
    [{ array: ['u8', 6] }, []],
  ])
  const ofSol = custodyData(WRAPPED_SOL, 9, figures.side === SHORT ? figures.cumulative * 3n : figures.cumulative)
  const ofUsdc = custodyData(USDC, 6, figures.cumulative)
  return {
    accounts: [
      fixtureAccount(addressOf(`perpetual of ${wallet}`), PROGRAM, data),
      fixtureAccount(SOL_CUSTODY, PROGRAM, ofSol),
      ...(figures.side === SHORT ? [fixtureAccount(USDC_CUSTODY, PROGRAM, ofUsdc)] : []),
    ],
    held: [],
    expected: figures.size === 0n || figures.side < 1 || figures.side > 2 ? [] : [expectedOf(data, ofSol, ofUsdc)],
  }
}

const expectedOf = (data: Uint8Array, ofSol: Uint8Array, ofUsdc: Uint8Array) => {
  const held = Position.decode(Buffer.from(data))
  const custody = Custody.decode(Buffer.from(ofSol))
  const exact = (value: { toString(): string }) => new Exact(value.toString())
  const integer = (value: Decimal) => BigInt(value.toFixed(0))
  const isLong = held.side.kind === 'Long'
  const tokens = exact(held.sizeUsd).mul(new Exact(10).pow(custody.decimals)).div(held.price.toString())
  const lender = isLong ? custody : Custody.decode(Buffer.from(ofUsdc))
  const rate = exact(lender.fundingRateState.cumulativeInterestRate).sub(held.cumulativeInterestSnapshot.toString())
  const interest = Exact.max(rate, 0).mul(held.sizeUsd.toString()).div(1_000_000_000).ceil()
  const size = exact(held.sizeUsd)
  const usd = integer(
    exact(held.collateralUsd)
      .sub(interest)
      .add(isLong ? size.neg() : size),
  )
  const asset = { token: String(custody.mint), amountRaw: integer(isLong ? tokens.floor() : tokens.ceil()) }
  const some = (amountRaw: bigint) => (amountRaw > 0n ? [{ token: USDC, amountRaw }] : [])
  return position('perpetuals', {
    supplied: [...(isLong ? [asset] : []), ...some(usd)],
    borrowed: [...(isLong ? [] : [asset]), ...some(-usd)],
  })
}
