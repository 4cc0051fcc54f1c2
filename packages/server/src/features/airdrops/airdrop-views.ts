import { Failure } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { isWhole, withCompleteness } from '../portfolio/present-portfolio.ts'
import { presentAirdrops } from './present-airdrops.ts'
import type { ReadAirdrops } from './valued-airdrops.ts'

export type AirdropViews = ReturnType<typeof createAirdropViews>

/** `chain`: absent if no chain type has airdrops. `read`: also if not enabled. */
export function createAirdropViews({ chain, read }: { chain: Chain | undefined; read: ReadAirdrops | undefined }) {
  return {
    check(): void {
      if (!chain) throw new Failure('VALIDATION_ERROR', 'addresses: this service reads no chain with airdrops')
      if (!read) throw new Failure('VALIDATION_ERROR', `addresses: ${chain.key} is not enabled here`)
    },

    async list(addresses: readonly Address[], images: IconUrls) {
      const found = addresses.map(async (address) => {
        if (!chain || !read) throw new UpstreamError('not-allowed', 'the chain of airdrops is not enabled')
        return presentAirdrops(await read(address), { chain, images })
      })
      const views = await Promise.all(found).catch((error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        throw new Failure('UPSTREAM_UNAVAILABLE', `${chain?.name ?? 'the chain'} could not be read`)
      })
      return withCompleteness(views, views.every(isWhole))
    },
  }
}
