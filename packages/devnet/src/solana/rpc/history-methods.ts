import { isSignature } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'
import type { LandedTransaction } from '../landed-transaction.ts'
import type { Methods } from './method.ts'
import { type Config, configOf, optional, text, toAddress, u64 } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'
import { encodeTransaction } from './transaction-encoding.ts'

const MAX_SIGNATURES = 1000n

const toSignature = (given: unknown): string => {
  const written = text(given)
  if (isSignature(written)) return written
  throw invalidParams('Invalid param: Invalid')
}

const unsupported = (version: number): RpcError =>
  new RpcError(
    'unsupportedVersion',
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the ` +
      `following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )

const listed = ({ signature, slot, error, memo, blockTime }: LandedTransaction) => ({
  signature,
  slot,
  err: error,
  memo,
  blockTime,
  confirmationStatus: 'finalized',
})

/** Newest first, older than `before` (must be known), down to but excluding `until` (may be unknown). */
const page = (
  oldestFirst: readonly LandedTransaction[],
  before: LandedTransaction | null,
  until: string | undefined,
) => {
  const newestFirst = oldestFirst.filter(({ slot }) => !before || slot < before.slot).toReversed()
  const end = newestFirst.findIndex(({ signature }) => signature === until)
  return end === -1 ? newestFirst : newestFirst.slice(0, end)
}

export const historyMethods = (chain: SolanaChain): Methods => ({
  getSignaturesForAddress: {
    configAt: 1,
    run: ([key], config) => {
      const address = toAddress(key)
      const until = optional(config['until'], toSignature)
      const before = optional(config['before'], toSignature)
      const limit = optional(config['limit'], u64) ?? MAX_SIGNATURES
      if (limit < 1n || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`)
      const start = before === undefined ? null : chain.transactions.get(before)
      if (start === undefined) return []
      return page(chain.transactions.of(address), start, until).slice(0, Number(limit)).map(listed)
    },
  },
  getTransaction: {
    run: ([given, settings]) => {
      const signature = toSignature(given)
      const config: Config = typeof settings === 'string' ? { encoding: settings } : configOf([settings], 0)
      const landed = chain.transactions.get(signature)
      if (!landed) return null
      const newest = optional(config['maxSupportedTransactionVersion'], u64)
      const { version } = landed.message
      if (version !== 'legacy' && newest === undefined) throw unsupported(version)
      return encodeTransaction(landed, optional(config['encoding'], text) ?? 'json', newest !== undefined)
    },
  },
})
