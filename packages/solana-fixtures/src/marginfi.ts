import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Decimal } from 'decimal.js'
import { addressOf, JUP, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl } from './layout.ts'

const require = createRequire(import.meta.url)
const folder = require.resolve('@mrgnlabs/marginfi-client-v2').replace(/index\.js$/, '')
const idl = JSON.parse(readFileSync(`${folder}idl/marginfi_0.1.8.json`, 'utf8')) as Idl

const PROGRAM = 'MFv2hWf31Z9kbCa1snEPYctwafyhdvnV7FZnsebVacA'
const MAIN_GROUP = '4qp6Fx6tnZkY5Wropq9wUYgtFxXKwE6viZxFHg3rdAG8'

const Exact = Decimal.clone({ precision: 120 })

/** Fixed-point numbers with 48 fractional bits. */
export type MarginfiFigures = {
  assetShares: bigint
  assetValue: bigint
  liabilityShares: bigint
  liabilityValue: bigint
  emissions: bigint
  health: { assets: bigint; liabilities: bigint; time: bigint; flags: bigint }
  lastUpdate: bigint
  assetTag: bigint
}

export const marginfiFigures: MarginfiFigures = {
  assetShares: (4_200_000_000n << 48n) + 123_456_789n,
  assetValue: (1n << 48n) + (1n << 45n) + 77n,
  liabilityShares: (150_000_000n << 48n) + 987_654_321n,
  liabilityValue: (1n << 48n) + (1n << 46n) + 33n,
  emissions: (1_234_567n << 48n) + 5n,
  health: { assets: 600n << 48n, liabilities: 250n << 48n, time: 1_790_000_000n, flags: 7n },
  lastUpdate: 1_789_999_999n,
  assetTag: 0n,
}

const wrapped = (value: bigint) => ({
  value: Array.from({ length: 16 }, (_, index) => (value >> BigInt(8 * index)) & 255n),
})

const quantity = (shares: bigint, value: bigint) =>
  new Exact(shares.toString()).mul(value.toString()).div(new Exact(2).pow(96))

const integer = (value: Decimal) => BigInt(value.toFixed(0))

export const marginfi = async (wallet: string, figures: MarginfiFigures = marginfiFigures): Promise<Fixture> => {
  const [solBank, usdcBank] = [addressOf('marginfi SOL bank'), addressOf('marginfi USDC bank')]
  const bank = (mint: string, decimals: number, assetTag = 0n) =>
    anchorData(idl, 'Bank', {
      mint,
      mint_decimals: decimals,
      group: MAIN_GROUP,
      asset_share_value: wrapped(figures.assetValue),
      liability_share_value: wrapped(figures.liabilityValue),
      config: { asset_tag: assetTag },
      emissions_mint: JUP,
    })
  const { health } = figures
  const account = anchorData(idl, 'MarginfiAccount', {
    group: MAIN_GROUP,
    authority: wallet,
    lending_account: {
      balances: [
        { active: 0, bank_pk: addressOf('a closed balance'), asset_shares: wrapped(figures.assetShares) },
        {
          active: 1,
          bank_pk: solBank,
          asset_shares: wrapped(figures.assetShares),
          emissions_outstanding: wrapped(figures.emissions),
        },
        { active: 1, bank_pk: usdcBank, liability_shares: wrapped(figures.liabilityShares) },
      ],
    },
    health_cache: {
      asset_value_maint: wrapped(health.assets),
      liability_value_maint: wrapped(health.liabilities),
      timestamp: health.time,
      flags: health.flags,
    },
    last_update: figures.lastUpdate,
  })
  return {
    accounts: [
      fixtureAccount(addressOf(`marginfi account of ${wallet}`), PROGRAM, account),
      fixtureAccount(solBank, PROGRAM, bank(WRAPPED_SOL, 9, figures.assetTag)),
      fixtureAccount(usdcBank, PROGRAM, bank(USDC, 6)),
    ],
    held: [],
    expected: expectedOf(figures),
  }
}

const expectedOf = ({ health, ...figures }: MarginfiFigures) => {
  const supplied = integer(quantity(figures.assetShares, figures.assetValue).floor())
  const owed = integer(quantity(figures.liabilityShares, figures.liabilityValue).ceil())
  const reward = figures.emissions / 2n ** 48n
  if (figures.assetShares + figures.liabilityShares + figures.emissions === 0n) return []
  const isKnown =
    owed > 0n && health.liabilities > 0n && (health.flags & 6n) === 6n && health.time >= figures.lastUpdate
  const some = (token: string, amountRaw: bigint) => (amountRaw > 0n ? [{ token, amountRaw }] : [])
  return [
    position('lending', {
      supplied: some(WRAPPED_SOL, supplied),
      borrowed: some(USDC, owed),
      rewards: some(JUP, reward),
      ...(isKnown && { healthFactorRaw: (health.assets * 10n ** 18n) / health.liabilities }),
    }),
  ]
}
