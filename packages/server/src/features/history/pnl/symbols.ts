import type { Address } from '../../../domain/address.ts'
import type { Token } from '../../../domain/token.ts'

export type TokensOf = (
  chain: string,
  tokens: readonly Address[],
) => Promise<(token: Address) => Pick<Token, 'symbol'> | undefined>
export type TokenLine = { chain: string | null; token: Address }

/** Empty for tokens never read. */
export async function symbolsOf(lines: readonly TokenLine[], tokensOf: TokensOf): Promise<(line: TokenLine) => string> {
  const byChain = Map.groupBy(lines, ({ chain }) => chain)
  const found = await Promise.all(
    [...byChain].map(async ([chain, ofIt]) => {
      const tokens = [...new Set(ofIt.map(({ token }) => token))]
      return [chain, chain === null ? undefined : await tokensOf(chain, tokens)] as const
    }),
  )
  const finders = new Map(found)
  return ({ chain, token }) => finders.get(chain)?.(token)?.symbol ?? ''
}
