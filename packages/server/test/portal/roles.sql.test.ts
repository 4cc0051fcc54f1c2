import type { PortalEndpoint } from '@coffer/contract/portal'
import { describe, expect, test } from 'vitest'
import { started } from '../started.ts'
import { everyEndpoint, pathIn } from './every-endpoint.ts'
import { startPortal } from './portal-service.ts'
import { newAddress, type PortalAnswer, type Visitor } from './visitor.ts'

const CALLERS = ['visitor', 'outsider', 'viewer', 'accountant', 'owner', 'operator'] as const
type CallerName = (typeof CALLERS)[number]
type Access = 'in' | 'signed out' | 'no such account' | 'forbidden'

/** Expected access of each caller, by type of endpoint. Written by hand, independent of the contract. */
const EXPECTED: Readonly<Record<string, readonly Access[]>> = {
  anyone: ['in', 'in', 'in', 'in', 'in', 'in'],
  user: ['signed out', 'in', 'in', 'in', 'in', 'in'],
  viewer: ['signed out', 'no such account', 'in', 'in', 'in', 'in'],
  accountant: ['signed out', 'no such account', 'forbidden', 'in', 'in', 'in'],
  owner: ['signed out', 'no such account', 'forbidden', 'forbidden', 'in', 'in'],
  operator: ['signed out', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'in'],
}

const IN_ACCOUNT = '/portal/api/accounts/:account/'
const FOR_ACCOUNTANTS = new Set([`PATCH ${IN_ACCOUNT}v1/addressbook/:address`])
const FOR_OWNERS = new Set([`GET ${IN_ACCOUNT}audit`, `GET ${IN_ACCOUNT}invitations`])
/** Reads with a body. */
const FOR_VIEWERS = new Set([`POST ${IN_ACCOUNT}quote`])
const OPEN = /^\/portal\/api\/(sign-in\/[\w-]+|links\/(look|passkey-options|openid|use))$/

/** Allowed callers by method and path: viewers read, owners change, with the exceptions above. */
function whoFor({ method, path }: Pick<PortalEndpoint, 'method' | 'path'>): string {
  const call = `${method} ${path}`
  if (OPEN.test(path)) return 'anyone'
  if (path.startsWith('/portal/api/operator/')) return 'operator'
  if (!path.startsWith(IN_ACCOUNT)) return 'user'
  if (FOR_ACCOUNTANTS.has(call)) return 'accountant'
  return FOR_VIEWERS.has(call) || (method === 'GET' && !FOR_OWNERS.has(call)) ? 'viewer' : 'owner'
}

const callers = new Map<CallerName, Visitor>()

const portal = await started(startPortal())
const elsewhere = await portal.newAccount('elsewhere')
callers.set('visitor', portal.visit())
callers.set('outsider', await portal.signedInUser('outsider', { role: 'owner', accountId: elsewhere }))
for (const role of ['viewer', 'accountant', 'owner'] as const) {
  callers.set(role, await portal.signedInUser(role, { role }))
}
callers.set('operator', await portal.signedInUser('operator', { isOperator: true }))

/** Calls an endpoint with a broken body or a missing resource, so that allowed callers get an error. */
function knock(caller: Visitor, endpoint: PortalEndpoint): Promise<PortalAnswer> {
  const raw = endpoint.method === 'GET' ? {} : { raw: '[' }
  return caller.call(endpoint.method, pathIn(endpoint, '1', '999999'), {
    ...raw,
    headers: { 'x-forwarded-for': newAddress() },
  })
}

function accessOf({ status, body }: PortalAnswer): Access {
  if (status === 401) return 'signed out'
  if (status === 403) return 'forbidden'
  return status === 404 && body.detail === 'No such account' ? 'no such account' : 'in'
}

test('the contract asks of every endpoint what is expected here', () => {
  const asked = Object.entries(everyEndpoint).map(([name, { requires }]) => [name, requires.who])
  expect(asked).toEqual(Object.entries(everyEndpoint).map(([name, endpoint]) => [name, whoFor(endpoint)]))
})

describe.each(Object.entries(everyEndpoint))('%s', (_name, endpoint) => {
  test(`${endpoint.method} ${endpoint.path}`, async () => {
    const met: Access[] = []
    for (const name of CALLERS) {
      portal.nextMinute()
      const caller = callers.get(name)
      if (!caller) throw new Error(`no caller ${name}`)
      const answer = await knock(caller, endpoint)
      expect([500, 503], answer.text).not.toContain(answer.status)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      met.push(accessOf(answer))
    }
    expect(met).toEqual(EXPECTED[whoFor(endpoint)])
  })
})

test('a role in one account is none in another, and an id that is none is no account', async () => {
  const owner = callers.get('owner')
  for (const account of ['2', '3', '0', '01', '-1', '1e0', '1%20', '999999999999999999', '9999999999999999999', 'x']) {
    expect(await owner?.get(`/accounts/${account}/keys`), account).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    })
  }
})

test('what asks for a proof refuses a session that is signed in for long, and lets nothing else wait for one', async () => {
  // A separate session: this test alone takes half of the limit per minute.
  const operator = await portal.signedInUser('long signed in', { isOperator: true })
  await portal.pass('11 minutes')
  const proved: string[] = []
  for (const [name, endpoint] of Object.entries(everyEndpoint)) {
    const { status, body } = await knock(operator, endpoint)
    if (status === 403 && body.code === 'PROOF_REQUIRED') proved.push(name)
  }
  await portal.pass('0')
  expect(proved.toSorted()).toEqual(PROVED.toSorted())
})

/**
 * Endpoints that change access, destinations of data, secrets, accounts or credits, or that remove what keys may not.
 */
const PROVED = [
  ...'createKey rotateKey revokeKey beginPasskey addPasskey removePasskey setPassword'.split(' '),
  ...'beginTotp confirmTotp removeTotp beginWallet linkWallet unlinkWallet beginIdentity unlinkIdentity'.split(' '),
  ...'invite setRole removeMember removeVirtualUser linkExchange unlinkExchange removeEntry verifyOwner'.split(' '),
  ...'openAccount changeAccount grantCredits'.split(' '),
  ...'createWebhook updateWebhook removeWebhook rotateWebhookSecret'.split(' '),
]
