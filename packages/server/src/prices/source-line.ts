import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { PriceQuery, PriceSource, Quote } from './price-source.ts'

/** Undefined: unknown token. */
export type Answer = { quote: Quote } | { error: unknown } | undefined

type Facts = 'name' | 'byRow' | 'perStored'

export type SourceLine = Pick<PriceSource<never>, Facts> & {
  expects(token: Address): boolean
  /** Never rejects. */
  ask(token: Token): Promise<Answer>
  /** Reads leave with this tick. */
  flush(): void
}

export function createSourceLine(
  { name, byRow, perStored }: Pick<PriceSource<never>, Facts>,
  query: PriceQuery,
): SourceLine {
  const answers = new Map<Address, Promise<Answer>>()
  let waiting: { token: Token; settle: (answer: Answer) => void }[] = []

  const send = async (batch: typeof waiting) => {
    try {
      const quotes = await query.quote(batch.map(({ token }) => token))
      for (const { token, settle } of batch) settle(answerOf(quotes.get(token.address)))
    } catch (error) {
      for (const { settle } of batch) settle({ error })
    }
  }
  const flush = () => {
    if (waiting.length === 0) return
    const batch = waiting
    waiting = []
    void send(batch)
  }

  return {
    name,
    ...(byRow && { byRow }),
    ...(perStored && { perStored }),
    expects: query.expects,
    ask(token) {
      const known = answers.get(token.address)
      if (known) return known
      if (waiting.length === 0) queueMicrotask(flush)
      const answer = new Promise<Answer>((settle) => waiting.push({ token, settle }))
      answers.set(token.address, answer)
      return answer
    },
    flush,
  }
}

function answerOf(said: Quote | UpstreamError | undefined): Answer {
  if (said === undefined) return undefined
  return said instanceof UpstreamError ? { error: said } : { quote: said }
}
