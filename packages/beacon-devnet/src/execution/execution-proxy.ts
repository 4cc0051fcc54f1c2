import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quantity } from './json-rpc.ts'

/** In the format of execution nodes. */
export type ListedWithdrawal = { index: number; validatorIndex: number; address: string; amountGwei: bigint }

type Call = { id: unknown; method: string; params?: unknown[] }
type Block = { hash?: string } | null
type Answer = { id: unknown; result?: unknown }

const BLOCK_METHODS = ['eth_getBlockByNumber', 'eth_getBlockByHash']
const FINAL_TAGS = ['finalized', 'safe']

const wordsOf = ({ index, validatorIndex, address, amountGwei }: ListedWithdrawal) => ({
  index: quantity(index),
  validatorIndex: quantity(validatorIndex),
  address,
  amount: quantity(amountGwei),
})

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Adds each block's withdrawals and the final block, which only the beacon chain knows. */
export const startExecutionProxy = async (nodeUrl: string) => {
  const withdrawals = new Map<string, readonly ListedWithdrawal[]>()
  let finalNumber = 0

  const asked = (call: Call): Call => ({
    ...call,
    params: (call.params ?? []).map((param) => (FINAL_TAGS.includes(param as string) ? quantity(finalNumber) : param)),
  })

  const answered = (calls: readonly Call[], answer: Answer): Answer => {
    const call = calls.find(({ id }) => id === answer.id)
    const block = answer.result as Block
    if (!call || !BLOCK_METHODS.includes(call.method) || !block?.hash) return answer
    const listed = withdrawals.get(block.hash) ?? []
    return { ...answer, result: { ...block, withdrawals: listed.map(wordsOf) } }
  }

  const pass = async (body: string): Promise<string> => {
    const parsed = JSON.parse(body) as Call | Call[]
    const calls = [parsed].flat().map(asked)
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Array.isArray(parsed) ? calls : calls[0]),
    })
    const answers = (await response.json()) as Answer | Answer[]
    return JSON.stringify(
      Array.isArray(answers) ? answers.map((one) => answered(calls, one)) : answered(calls, answers),
    )
  }

  const server = createServer((request, reply) => {
    bodyOf(request)
      .then(pass)
      .then(
        (text) => reply.setHeader('content-type', 'application/json').end(text),
        (error: Error) => reply.writeHead(502).end(error.message),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addWithdrawals: (blockHash: string, listed: readonly ListedWithdrawal[]): void => {
      withdrawals.set(blockHash, listed)
    },
    setFinal: (blockNumber: number): void => {
      finalNumber = blockNumber
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
