import { type Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const MOST_TRIES = 60
const AGAIN_MS = 250

type Means = { agent?: Agent | undefined; host?: string }
type Answer = { status: number; requestId: string; text: string }

/** No retries. A truncated answer is an error. */
export function getOnce(url: string, key: string, { agent, host }: Means = {}): Promise<Answer> {
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
    const headers = { authorization: `Bearer ${key}`, ...(host && { host }) }
    httpGet(url, { agent, headers }, receive).on('error', reject)
  })
}

/** Retries: a loaded machine sheds load. */
export async function getPatiently(url: string, key: string, means?: Means): Promise<Answer> {
  let answer = await getOnce(url, key, means)
  for (let tries = 1; answer.status === 503 && tries < MOST_TRIES; tries += 1) {
    await wait(AGAIN_MS)
    answer = await getOnce(url, key, means)
  }
  return answer
}
