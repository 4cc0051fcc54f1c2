import type { Token } from './token.ts'

/** A letter, then its imitations. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  'aаα bвβьḅ cсϲ dԁḍ eеєε hнһη iіιıl1| jј kкκ mмμ nոν oоοσ0 pрρ sѕ$5 tтτṭ uυս xхχ yуγ'
    .split(' ')
    .flatMap(([letter = '', ...imitations]) => imitations.map((imitation) => [imitation, letter])),
)

/** Listed tokens from which a shared symbol (`UNI-V2`) is no imitation. */
const KIND_FROM = 4

/** Curve pools and yearn vaults. */
const HONEST_DOMAINS = /\b(curve\.fi|yearn\.finance)\b/gi
const DOMAIN = /[a-z0-9-]\.[a-z]{2,}\b/i
const LURE = /https?:|www\.|\bt\.me\b|\b(claim|visit|airdrop|giveaway|voucher|redeem|reward)s?\b|\$\s?\d/i

function skeleton(symbol: string): string {
  const letters = symbol.normalize('NFKD').toLowerCase()
  return [...letters]
    .map((letter) => LOOKALIKES.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

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

/** Bait: a web site, a promise, or a listed token's symbol at another address. Never priced, never in a total. */
export function isSpam({ symbol, name, listed }: Token, known?: ListedSymbols): boolean {
  if (listed) return false
  const text = `${symbol} ${name}`.replace(HONEST_DOMAINS, '')
  return symbol === '' || DOMAIN.test(text) || LURE.test(text) || (known?.imitates(symbol) ?? false)
}
