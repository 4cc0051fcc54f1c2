import type { Portfolio } from '@coffer/contract'
import type { TestService } from './harness.ts'

/** Most addresses of a request. */
const MOST_ADDRESSES = 10

type Service = Pick<TestService, 'client'>

export async function readPortfolio(service: Service, address: string, waitForSync = true): Promise<Portfolio> {
  const [portfolio] = await service.client.getPortfolio({ query: { addresses: address, waitForSync } })
  if (!portfolio) throw new Error('no portfolio in the answer')
  return portfolio
}

/** By address, in as few requests as possible. */
export async function readPortfolios<Address extends string>(
  service: Service,
  addresses: readonly Address[],
): Promise<Map<Address, Portfolio>> {
  const found = new Map<Address, Portfolio>()
  for (let from = 0; from < addresses.length; from += MOST_ADDRESSES) {
    const some = addresses.slice(from, from + MOST_ADDRESSES)
    const portfolios = await service.client.getPortfolio({ query: { addresses: [...some], waitForSync: true } })
    for (const [i, portfolio] of portfolios.entries()) found.set(some[i] as Address, portfolio)
  }
  return found
}
