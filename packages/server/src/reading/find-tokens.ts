import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Reading } from './open-reading.ts'

/** Tokens by address, as far as any process knows them; none of a chain that is not enabled. */
export function createFindTokens({ enabled, knownTokens }: Pick<Reading, 'enabled' | 'knownTokens'>) {
  return async (key: string, tokens: readonly Address[]): Promise<(token: Address) => Token | undefined> => {
    const chain = enabled.find((each) => each.key === key)
    const known = chain && (await knownTokens(chain))
    await known?.load(tokens)
    return (token) => known?.find(token)
  }
}
