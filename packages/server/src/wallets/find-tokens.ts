import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Reading } from './open-reading.ts'

export type FindTokens = (chain: string, tokens: readonly Address[]) => Promise<(token: Address) => Token | undefined>

export function createFindTokens({ enabled, knownTokens }: Pick<Reading, 'enabled' | 'knownTokens'>): FindTokens {
  return async (key, tokens) => {
    const chain = enabled.find((each) => each.key === key)
    const known = chain && (await knownTokens(chain))
    await known?.load(tokens)
    return (token) => known?.find(token)
  }
}
