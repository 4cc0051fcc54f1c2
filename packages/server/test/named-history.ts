import type { Address } from 'viem'
import { evmAddress } from '../src/domain/evm-address.ts'
import type { Movement, WalletTransaction } from '../src/domain/transaction.ts'

/** `tokens` may be known only later. */
export function namedHistory(tokens: () => Readonly<Record<string, Address>>) {
  const nameOf = ({ token, tokenId }: Movement) => {
    const [name] = Object.entries(tokens()).find(([, address]) => evmAddress(address) === token) ?? [token]
    return tokenId === null || tokenId === 0n ? name : `${name} ${tokenId}`
  }
  return {
    /**
     * Type, protocol, and each movement but gas: treatment, sign, name, number if not 0. A movement of zero names a
     * position.
     */
    summary: (transactions: readonly WalletTransaction[]) =>
      transactions.map(({ type, protocol, movements }) => [
        ...[type, protocol],
        ...movements
          .filter(({ treatment }) => treatment !== 'fee')
          .map((movement) => `${movement.treatment} ${signOf(movement)}${nameOf(movement)}`)
          .toSorted(),
      ]),

    /** In base units, gas included. */
    sums: (transactions: readonly WalletTransaction[]) => {
      const sums: Record<string, bigint> = {}
      for (const movement of transactions.flatMap(({ movements }) => movements)) {
        const name = nameOf(movement)
        sums[name] = (sums[name] ?? 0n) + movement.amountRaw
      }
      return sums
    },
  }
}

function signOf({ amountRaw }: Movement): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}
