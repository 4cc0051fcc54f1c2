import type { TestService } from '../harness.ts'

export const PASSWORD = 'correct horse battery staple'

/** The first user of a service, signed in: owns account 1 and operates the service. */
export type FirstUser = {
  /** Of its session. */
  cookie: { name: string; value: string }
  /** Token of the link that it came by, which leads nowhere any more. */
  usedLink: string
  /** Calls the portal's door with its session; throws unless that succeeds. */
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
