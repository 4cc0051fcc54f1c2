import type { TestService } from '../harness.ts'

export const PASSWORD = 'correct horse battery staple'

/** Owns account 1 and operates the service. */
export type FirstUser = {
  cookie: { name: string; value: string }
  usedLink: string
  /** Throws on failure. */
  post(path: string, body: unknown): Promise<unknown>
}

export async function firstUser(service: TestService): Promise<FirstUser> {
  const send = async (path: string, body: unknown, cookie = '') => {
    const answer = await fetch(`${service.url}/portal/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url, cookie },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const token = (await service.context.makeSetupLink()) ?? ''
  const answer = await send('/links/use', { token, name: 'Ann', password: PASSWORD })
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  const [name = '', value = ''] = pair.split('=')
  return { cookie: { name, value }, usedLink: token, post: async (path, body) => (await send(path, body, pair)).json() }
}
