import { type Agent, get as httpGet, type IncomingMessage } from 'node:http'

type Answer = { status: number; requestId: string; text: string }

/** One GET, sent exactly once: nothing is tried again, and an answer that breaks off is an error. */
export function getOnce(url: string, key: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const receive = (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, requestId: String(response.headers['x-request-id']), text }),
      )
    }
    httpGet(url, { agent, headers: { authorization: `Bearer ${key}` } }, receive).on('error', reject)
  })
}
