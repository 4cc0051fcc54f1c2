import { type LocalServer, serveLocally } from './local-server.ts'

type Query = Readonly<Record<string, string>>
type Row = Record<string, string> & { blockNumber: string }

/** With all fields of either explorer. */
export type InternalRow = Row & { from: string; to: string }

/** Uses the JSON that Etherscan and Blockscout document. `answer` replaces own answers. */
export type ExplorerServer = LocalServer & {
  /** In order. */
  asked(): readonly Query[]
  answerWith(answer: ((query: Query) => { status?: number; body: unknown } | undefined) | undefined): void
}

type Content = {
  transactions: readonly Row[]
  internals: readonly InternalRow[]
  /** Newest block before the requested time. */
  newest: () => bigint
}

/** Etherscan's answer to pages beyond its limit. */
const TOO_FAR = 'Result window is too large, PageNo x Offset size must be less than or equal to 10000'

export async function startExplorer({ transactions, internals, newest }: Content): Promise<ExplorerServer> {
  let asked: Query[] = []
  let answer: Parameters<ExplorerServer['answerWith']>[0]
  const server = await serveLocally((request, response) => {
    const query = Object.fromEntries(new URL(request.url ?? '/', 'http://localhost').searchParams)
    asked.push(query)
    const { status = 200, body } = answer?.(query) ?? { body: usual(query) }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })

  function usual(query: Query): unknown {
    const good = (result: unknown) => ({ status: '1', message: 'OK', result })
    if (query['action'] === 'getblocknobytime') return good(String(newest()))
    const isInternal = query['action'] === 'txlistinternal'
    const [page, offset] = [Number(query['page']), Number(query['offset'])]
    if (page * offset > 10_000) return { status: '0', message: TOO_FAR, result: null }
    const [start, end] = [BigInt(query['startblock'] ?? 0), BigInt(query['endblock'] ?? 0)]
    const isAsked = ({ blockNumber, from, to }: Row) =>
      BigInt(blockNumber) >= start &&
      BigInt(blockNumber) <= end &&
      [from, to].some((one) => one?.toLowerCase() === query['address']?.toLowerCase())
    const rows = (isInternal ? internals : transactions).filter(isAsked)
    const result = rows.slice((page - 1) * offset, page * offset)
    if (result.length > 0) return good(result)
    return { status: '0', message: `No ${isInternal ? 'internal ' : ''}transactions found`, result: [] }
  }

  return {
    ...server,
    asked: () => asked,
    answerWith(next) {
      answer = next
      asked = []
    },
  }
}
