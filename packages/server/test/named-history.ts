import type { Address } from 'viem'
import type { ContractDirectory } from '../src/chains/evm/decode/contract-directory.ts'
import { evmAddress } from '../src/domain/evm-address.ts'
import type { Position } from '../src/domain/position.ts'
import type { Movement, WalletTransaction } from '../src/domain/transaction.ts'
import { bookedCosts, type Quote, shownCosts } from './booked-costs.ts'

/** `usdc:6 2 had 500 at 1`: 6 decimals, 2 USD per unit during the play, 500 units bought before it at 1 USD each. */
const QUOTE = /^(\w+)(?::(\d+))? (\S+)(?: had (\S+) at (\S+))?$/

/** `tokens` may be known only later. */
export function namedHistory(
  bench: { readonly directory: ContractDirectory },
  tokens: () => Readonly<Record<string, Address>>,
) {
  const nameOf = ({ token, tokenId }: Movement) => {
    const [name] = Object.entries(tokens()).find(([, address]) => evmAddress(address) === token) ?? [token]
    return tokenId === null || tokenId === 0n ? name : `${name} ${tokenId}`
  }

  function quoteOf(text: string): [string, Quote] {
    const [, name = '', decimals, price = '', had, paid] = QUOTE.exec(text) ?? []
    const address = tokens()[name]
    if (!address) throw new Error(`not a quote of a named token: ${text}`)
    return [
      name,
      { address, price, ...(decimals && { decimals: Number(decimals) }), ...(had && paid && { had, paid }) },
    ]
  }
  const quotesOf = (texts: string) => Object.fromEntries(texts.split(', ').map(quoteOf))

  return {
    /**
     * Type, protocol, and each movement but gas: treatment, sign, name, number if not 0. A movement of zero names a
     * position. No approvals.
     */
    summary: (transactions: readonly WalletTransaction[]) =>
      transactions
        .filter(({ type }) => type !== 'APPROVAL')
        .map(({ type, protocol, movements }) => [
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

    costs: (wallet: Address, quotes: string, found: readonly WalletTransaction[]) =>
      bookedCosts(bench.directory, wallet, quotesOf(quotes), found),

    shown: (wallet: Address, quotes: string, found: readonly WalletTransaction[], positions: readonly Position[]) =>
      shownCosts(positions, bench.directory, wallet, quotesOf(quotes), found),
  }
}

function signOf({ amountRaw }: Movement): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}
