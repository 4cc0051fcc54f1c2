import type { Token } from './token.ts'

/** Letters that look like a Latin one, and digits that pass for letters, as the letter they imitate. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['a', 'аα'],
    ['b', 'вβьḅ'],
    ['c', 'сϲ'],
    ['d', 'ԁḍ'],
    ['e', 'еєε'],
    ['h', 'нһη'],
    ['i', 'іιıl1|'],
    ['j', 'ј'],
    ['k', 'кκ'],
    ['m', 'мμ'],
    ['n', 'ոν'],
    ['o', 'оοσ0'],
    ['p', 'рρ'],
    ['s', 'ѕ$5'],
    ['t', 'тτṭ'],
    ['u', 'υս'],
    ['x', 'хχ'],
    ['y', 'уγ'],
  ].flatMap(([letter = '', imitations = '']) => [...imitations].map((imitation) => [imitation, letter])),
)

/** A symbol of so many listed tokens (`UNI-V2`) names a kind of token, so using it is no imitation. */
const KIND_FROM = 4

/** Names of honest tokens that hold a domain: curve pools and yearn vaults call themselves by it. */
const HONEST_DOMAINS = /\b(curve\.fi|yearn\.finance)\b/gi
const DOMAIN = /[a-z0-9-]\.[a-z]{2,}\b/i
const LURE = /https?:|www\.|\bt\.me\b|\b(claim|visit|airdrop|giveaway|voucher|redeem|reward)s?\b|\$\s?\d/i

/** A symbol without what tells it apart from an imitation: case, accents, signs, and letters of other scripts. */
function skeleton(symbol: string): string {
  const letters = symbol.normalize('NFKD').toLowerCase()
  return [...letters]
    .map((letter) => LOOKALIKES.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Symbols of one chain's listed tokens, prepared for `isSpam`. */
export type ListedSymbols = { imitates(symbol: string): boolean }

export function listedSymbols(tokens: Iterable<Token>): ListedSymbols {
  const bearers = new Map<string, number>()
  for (const { symbol } of tokens) {
    const key = skeleton(symbol)
    bearers.set(key, (bearers.get(key) ?? 0) + 1)
  }
  return {
    imitates(symbol) {
      const count = bearers.get(skeleton(symbol)) ?? 0
      return count > 0 && count < KIND_FROM
    },
  }
}

/**
 * Whether a token is bait: it names a web site or promises something, or bears the symbol of a listed token at another
 * address. A listed token never is. Spam is never priced and never in a total.
 */
export function isSpam(
  { symbol, name, listed }: Pick<Token, 'symbol' | 'name' | 'listed'>,
  known?: ListedSymbols,
): boolean {
  if (listed) return false
  const text = `${symbol} ${name}`.replace(HONEST_DOMAINS, '')
  return symbol === '' || DOMAIN.test(text) || LURE.test(text) || (known?.imitates(symbol) ?? false)
}
