import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { compareText } from '../../lib/compare-text.ts'
import { decodeBody, encodeBody, type StoredBody } from '../../wallets/wallet-read-json.ts'

type StoredRead = { chain: string; block: string; blockTime: number; body: StoredBody }

/** Deterministic for the same blocks: omits read times and sorts lists whose order has no meaning. */
export function encodeReads(reads: readonly WalletRead[]): string {
  const stored = reads
    .toSorted((a, b) => compareText(a.chain, b.chain))
    .map(({ chain, block, blockTime, holdings, positions, tokens, prices, gaps }) => {
      const body = encodeBody({
        holdings: holdings.toSorted((a, b) => compareText(a.token, b.token)),
        positions,
        tokens: tokens.toSorted((a, b) => compareText(a.address, b.address)),
        prices: prices.toSorted((a, b) => compareText(a.token, b.token)),
        gaps,
      })
      return `{"chain":${JSON.stringify(chain)},"block":"${block}","blockTime":${blockTime},"body":${body}}`
    })
  return `[${stored.join(',')}]`
}

export function decodeReads(wallet: Address, reads: unknown): WalletRead[] {
  return (reads as StoredRead[]).map(({ chain, block, blockTime, body }) => ({
    wallet,
    chain,
    block: BigInt(block),
    blockTime,
    readAt: blockTime * 1_000,
    ...decodeBody(body),
  }))
}
