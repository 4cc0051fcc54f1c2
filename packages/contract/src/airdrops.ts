import { z } from 'zod'
import type { Addresses } from './address.ts'
import { decimalString, integerString } from './decimal-string.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { asOf, conversionRates, displayNames, incompleteItem } from './portfolio.ts'

const images = { imgSmall: z.string(), imgLarge: z.string() }

/** Unix seconds at which all of it can be claimed; `0`: now, or unknown. */
const unlockAt = integerString

/** A part that cannot be claimed now counts in no total. */
const airdropAsset = z
  .object({
    balance: decimalString,
    symbol: z.string(),
    name: z.string(),
    ...displayNames,
    value: decimalString,
    price: decimalString,
    priceSource: z.string().nullable(),
    contract: z.string(),
    chainKey: z.string(),
    isClaimable: z.boolean(),
    link: z.string(),
    unlockAt,
    explorerUrl: z.string(),
    ...images,
  })
  .meta({ id: 'AirdropAsset' })
export type AirdropAsset = z.infer<typeof airdropAsset>

const airdropPosition = z
  .object({
    name: z.string(),
    value: decimalString,
    unlockAt,
    assets: z.array(airdropAsset),
  })
  .meta({ id: 'AirdropPosition' })
export type AirdropPosition = z.infer<typeof airdropPosition>

const airdropProtocol = z
  .object({
    name: z.string(),
    key: z.string(),
    value: decimalString,
    chains: z.record(
      z.string(),
      z
        .object({
          name: z.string(),
          key: z.string(),
          value: decimalString,
          protocolPositions: z
            .object({
              AIRDROP: z
                .object({
                  name: z.string(),
                  totalValue: decimalString,
                  unlockAt,
                  protocolPositions: z.array(airdropPosition),
                })
                .meta({ id: 'AirdropGroup' }),
            })
            .meta({ id: 'AirdropGroups' }),
          ...images,
        })
        .meta({ id: 'AirdropProtocolOnChain' }),
    ),
    ...images,
  })
  .meta({ id: 'AirdropProtocol' })

export const airdrops = z
  .object({
    address: z.string(),
    networth: decimalString,
    /** Required in every view of a wallet; without meaning for airdrops. */
    cashBalance: z.literal('0'),
    dailyIncome: z.literal('0'),
    dailyExpense: z.literal('0'),
    fees: z.literal('0'),
    feesFiat: z.literal('0'),
    openPnl: z.literal('N/A'),
    closedPnl: z.literal('N/A'),
    totalCostBasis: z.literal('N/A'),
    conversionRates,
    lastUpdated: z.string().regex(/^\d+$/),
    assetByProtocols: z.record(z.string(), airdropProtocol),
    chains: z.record(
      z.string(),
      z.object({ name: z.string(), key: z.string(), value: decimalString, ...images }).meta({ id: 'AirdropChain' }),
    ),
    asOf,
    /** `source`: the configured source, or the on-chain program, that failed. */
    incomplete: z.array(incompleteItem.extend({ source: z.string().optional() }).meta({ id: 'AirdropIncompleteItem' })),
  })
  .meta({ id: 'Airdrops' })
export type Airdrops = z.infer<typeof airdrops>

export const airdropEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    getAirdrops: {
      method: 'GET',
      path: '/v1/airdrop',
      tag: 'Portfolio',
      summary: 'Get airdrops',
      description:
        'Returns the airdrops that a Solana wallet can claim now or later, by protocol. `networth` counts those that can be claimed now. Claimed and expired airdrops are not listed. `incomplete` names failed sources.',
      status: 200,
      cost: 1,
      bucket: 'default',
      requires: 'portfolio',
      errors: 'titled',
      failures: [502],
      query: z.object({
        addresses: addresses
          .list({ ...addresses.airdrops, max: 1 })
          .describe(addresses.describe(addresses.airdrops, 1)),
      }),
      varyingHeaders: completeness,
      response: z.array(airdrops),
    },
  })
