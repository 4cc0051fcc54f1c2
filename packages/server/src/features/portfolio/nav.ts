import { Failure, type NavCurrency } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { type Decimal, formatDecimal, ONE, roundPrice, sum } from '../../domain/decimal.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import type { Portfolios } from './portfolios.ts'
import { presentAsOf, presentIncomplete, withCompleteness } from './present-portfolio.ts'

type NavQuery = { addresses: readonly Address[]; waitForSync: boolean; currency: NavCurrency }

/** Writes the JSON, so that numbers are exact decimals. `rates`: USD per unit. */
export async function getNav(portfolios: Portfolios, rates: FxRates, { addresses, waitForSync, currency }: NavQuery) {
  const [wallets, rate] = await Promise.all([
    Promise.all(addresses.map((address) => portfolios.getState(address, waitForSync))),
    currency === 'USD' ? { usd: ONE } : rates.usdPerUnit(currency),
  ])
  if (!rate) throw new Failure('UPSTREAM_UNAVAILABLE', `No price source of this service has a rate of ${currency} now`)
  const reads = wallets.flatMap((cached) => cached.state.reads)
  const total = sum(reads.map((read) => read.value)).div(rate.usd)
  // Later entries of a chain win, so the answer names its oldest block.
  const oldestLast = reads.toSorted((a, b) => (b.read.blockTime ?? 0) - (a.read.blockTime ?? 0))
  const incomplete = wallets.flatMap((cached) => presentIncomplete(cached.state))
  const fields = [
    `"nav":${number(total)}`,
    `"currency":"${currency}"`,
    `"conversionPrice":${number(rate.usd)}`,
    `"asOf":${JSON.stringify(presentAsOf(oldestLast))}`,
    `"incomplete":${JSON.stringify(incomplete)}`,
  ]
  return withCompleteness(Buffer.from(`{${fields.join(',')}}`), incomplete.length === 0)
}

/** Rounded half to even to 18 decimals. */
function number(value: Decimal): string {
  return formatDecimal(roundPrice(value))
}
