import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { LogPlace } from '../../domain/approval.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'

const BLOCK_BYTES = 8
const PLACE_BYTES = BLOCK_BYTES + 4
const MAC_BYTES = 16
const CURSOR = /^[\w-]{38}$/

export type Cursors = ReturnType<typeof createCursors>

/** The first secret signs; all verify. */
export function createCursors(secrets: readonly [KeyObject, ...KeyObject[]]) {
  const macOf = (secret: KeyObject, { wallet, chain }: WalletOnChain, place: Buffer) =>
    createHmac('sha256', secret)
      .update(`coffer approvals cursor ${chain} ${wallet} `)
      .update(place)
      .digest()
      .subarray(0, MAC_BYTES)

  return {
    write(of: WalletOnChain, { block, logIndex }: LogPlace): string {
      const place = Buffer.alloc(PLACE_BYTES)
      place.writeBigUInt64BE(block)
      place.writeUInt32BE(logIndex, BLOCK_BYTES)
      return Buffer.concat([place, macOf(secrets[0], of, place)]).toString('base64url')
    },

    read(of: WalletOnChain, text: string): LogPlace | undefined {
      const bytes = Buffer.from(text, 'base64url')
      // Only one spelling is valid: the last digit has unused bits.
      if (!CURSOR.test(text) || bytes.toString('base64url') !== text) return undefined
      const place = bytes.subarray(0, PLACE_BYTES)
      const mac = bytes.subarray(PLACE_BYTES)
      if (!secrets.some((secret) => timingSafeEqual(macOf(secret, of, place), mac))) return undefined
      return { block: place.readBigUInt64BE(), logIndex: place.readUInt32BE(BLOCK_BYTES) }
    },
  }
}
