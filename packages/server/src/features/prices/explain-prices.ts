import { Failure } from '@coffer/contract'
import type { PriceWhyView } from '@coffer/contract/portal'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { Reading } from '../../wallets/open-reading.ts'
import { presentPrice } from './present-price.ts'

const KEPT_MS = 10_000
const MOST_KEPT = 500

type Asked = { chain: string; token: string; amount: string; holder?: string | undefined }

/** Throws VALIDATION_ERROR for a chain that is not enabled, or an address of another. */
export type ExplainPrices = (asked: Asked) => Promise<PriceWhyView>

export function createExplainPrices({
  chainTypes,
  reading,
  clock,
}: {
  chainTypes: Pick<ChainTypes, 'of'>
  reading: Pick<Reading, 'enabled' | 'readingOf'>
  clock: Clock
}): ExplainPrices {
  const kept = createKept<PriceWhyView>({ clock, freshMs: KEPT_MS, most: MOST_KEPT })

  return async (asked) => {
    const chain = findChain(asked.chain, reading.enabled)
    const explain = chain && reading.readingOf(chain.key)?.explainPrice
    if (!explain) throw new Failure('VALIDATION_ERROR', `chain: ${asked.chain} is not enabled here`)
    const chainType = chainTypes.of(chain)
    const addressIn = (field: string, text: string) => {
      if (chainType.ownsAddress(text)) return chainType.spell(text)
      throw new Failure('VALIDATION_ERROR', `${field}: must be ${chainType.addressForm.described}`)
    }
    const token = addressIn('token', asked.token)
    const owner = asked.holder === undefined ? undefined : addressIn('holder', asked.holder)
    const amount = decimal(asked.amount)
    return kept.get(`${chain.key} ${token} ${formatDecimal(amount)} ${owner}`, async () => {
      const facts = await explain(chain.key, { token, amount, owner })
      return presentPrice({ chain: chain.key, amount, readAt: clock.now() }, facts)
    })
  }
}
