import { mintExtensions } from '@coffer/devnet/solana'
import { address } from '@solana/kit'
import {
  amountToUiAmountForInterestBearingMintWithoutSimulation,
  type ExtensionArgs,
  getMintEncoder,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022'
import { expect, test } from 'vitest'
import { decodeMint } from './token-program.ts'

const MINT = address('DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7')
const YEAR = 31_536_000
const BEGUN = 1_700_000_000
const CHANGED = BEGUN + YEAR

function mintWith(extensions: readonly ExtensionArgs[]) {
  const data = getMintEncoder().encode({
    ...{ mintAuthority: MINT, supply: 0n, decimals: 6, isInitialized: true, freezeAuthority: null },
    extensions: [...extensions],
  })
  return decodeMint({
    ...{ address: MINT, owner: TOKEN_2022_PROGRAM_ADDRESS, lamports: 1n, data: Uint8Array.from(data) },
  })
}

test('interest grows at the former rate until its change, and at the present one since', () => {
  const rates = { preUpdateAverageRate: 500, currentRate: 1_000 }
  const since = { initializationTimestamp: BigInt(BEGUN), lastUpdateTimestamp: BigInt(CHANGED) }
  const mint = mintWith([{ __kind: 'InterestBearingConfig', rateAuthority: MINT, ...since, ...rates }])
  const grown = (time: number, changed: number) =>
    Number(
      amountToUiAmountForInterestBearingMintWithoutSimulation(
        ...([10n ** 15n, 15, time, changed, BEGUN, rates.preUpdateAverageRate, rates.currentRate] as const),
      ),
    )
  const multiplier = (time: number) => Number(mint.multiplierAt?.(time)?.toFixed())
  expect(multiplier(CHANGED + YEAR)).toBeCloseTo(grown(CHANGED + YEAR, CHANGED), 12)
  expect(multiplier(CHANGED)).toBeCloseTo(grown(CHANGED, CHANGED), 12)
  // Half a year after the start only the former rate counts.
  expect(multiplier(BEGUN + YEAR / 2)).toBeCloseTo(grown(BEGUN + YEAR / 2, BEGUN + YEAR / 2), 12)
  expect(mint.multiplierSince).toBe(CHANGED)
})

test('a scheduled multiplier applies from its time on', () => {
  const [planned] = mintExtensions.scaled({ multiplier: 1.5 })(MINT, MINT)
  if (planned?.__kind !== 'ScaledUiAmountConfig') expect.fail('another extension')
  const mint = mintWith([{ ...planned, newMultiplier: 3, newMultiplierEffectiveTimestamp: BigInt(CHANGED) }])
  expect([CHANGED - 1, CHANGED].map((time) => mint.multiplierAt?.(time)?.toFixed())).toEqual(['1.5', '3'])
  expect(mint.multiplierSince).toBe(CHANGED)
  expect(mintWith(mintExtensions.scaled({ multiplier: 1.5 })(MINT, MINT)).multiplierSince).toBe(0)
})
