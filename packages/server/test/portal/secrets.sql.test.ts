import { expect, test } from 'vitest'
import { started } from '../started.ts'
import { everyEndpoint, pathIn } from './every-endpoint.ts'
import { PASSWORD, startPortal } from './portal-service.ts'
import { newAddress } from './visitor.ts'

const ids: string[] = []

const portal = await started(startPortal({ env: { COFFER_MASTER_KEY: '7f'.repeat(32) } }))
const owner = await portal.setUp()
const { body: key } = await owner.post('/accounts/1/keys', { name: 'laptop' })
const { body: rotated } = await owner.post(`/accounts/1/keys/${key.id}/rotate`, { graceHours: 24 })
const { body: invitation } = await owner.post('/accounts/1/invitations', { role: 'viewer' })
const { body: totp } = await owner.post('/user/totp')
const { body: session } = await owner.get('/session')
ids.push(key.id, rotated.id, session.user.id)
const secrets = {
  password: PASSWORD,
  key: key.key,
  rotated: rotated.key,
  owner: portal.ownerKey,
  invitation: invitation.token,
  totp: totp.secret,
  cookie: owner.cookie()?.split('=')[1] ?? '',
}

function expectNone(text: string, where: string) {
  for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), `${name} in ${where}`).toBe(false)
}

test('each secret is one', () => {
  for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThanOrEqual(22)
})

test('nothing that can be read has a secret in it', async () => {
  let read = 0
  for (const [name, endpoint] of Object.entries(everyEndpoint)) {
    if (endpoint.method !== 'GET') continue
    for (const id of ids) {
      const { status, text, headers } = await owner.call('GET', pathIn(endpoint, '1', id))
      expectNone(text + JSON.stringify([...headers]), name)
      read += status === 200 ? 1 : 0
    }
  }
  expect(read).toBeGreaterThan(20)
  const { text } = await owner.post('/links/look', { token: secrets['invitation'] })
  expectNone(text, 'lookAtLink')
})

test('no refusal repeats what was sent', async () => {
  const body = {
    ...secrets,
    name: secrets,
    code: secrets['totp'],
    token: `${secrets['invitation']}x`,
    response: secrets,
  }
  for (const [name, endpoint] of Object.entries(everyEndpoint)) {
    if (endpoint.method === 'GET' || endpoint.requires.who === 'anyone') continue
    const headers = { 'x-forwarded-for': newAddress() }
    const outsider = { ...headers, cookie: undefined }
    for (const sent of [headers, outsider]) {
      const answer = await owner.call(endpoint.method, pathIn(endpoint, '1', '999999'), { body: [body], headers: sent })
      expect(answer.status, name).toBeGreaterThanOrEqual(400)
      expectNone(answer.text, name)
    }
  }
})

test('the log of what was done, and the tables of who comes in, have none', async () => {
  const tables = ['audit_event', 'portal_user', 'portal_session', 'portal_link', 'portal_challenge', 'api_key']
  for (const table of tables) {
    const { rows } = await portal.pool.query(`select to_jsonb(t)::text as row from ${table} t`)
    expect(rows.length, table).toBeGreaterThanOrEqual(table === 'portal_challenge' ? 0 : 1)
    expectNone(JSON.stringify(rows), table)
  }
})
