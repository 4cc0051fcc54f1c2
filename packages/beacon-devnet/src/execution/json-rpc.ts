type Call = readonly [method: string, ...params: readonly unknown[]]
type Answer = { id: number; result?: unknown; error?: { message: string } }

/** The node may execute a batch in any order. Answers are in call order. */
export const createJsonRpc = (url: string) => {
  const ask = async (...calls: readonly Call[]): Promise<unknown[]> => {
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answers = (await response.json()) as Answer[]
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return calls.map(([method], id) => {
      const answer = byId.get(id)
      if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`)
      return answer.result
    })
  }
  return ask
}

export type JsonRpc = ReturnType<typeof createJsonRpc>

export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`
