import { beforeEach, expect, test } from 'vitest'
import { started } from '../started.ts'
import { PASSWORD, startPortal, type TestPortal } from './portal-service.ts'
import { SIGNED_OUT, type Visitor } from './visitor.ts'

const LAST_OWNER = { status: 409, body: { code: 'LAST_OWNER', detail: 'An account needs an owner' } }

let account: string
let owner: Awaited<ReturnType<TestPortal['signedInUser']>>

const portal = await started(startPortal())

beforeEach(async () => {
  await portal.clear()
  account = await portal.newAccount('acme')
  owner = await portal.signedInUser('Olga', { role: 'owner', accountId: account })
})

const of = (path: string) => `/accounts/${account}${path}`
const rolesIn = async (by: Visitor) =>
  (await by.get(of('/members'))).body.map(({ name, role }: Record<string, string>) => `${name} ${role}`)
const member = (name: string, role: 'viewer' | 'accountant' | 'owner') =>
  portal.signedInUser(name, { role, accountId: account })

test('a member is invited, joins, and is seen', async () => {
  const invited = await owner.post(of('/invitations'), { role: 'accountant' })
  expect(invited).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^[\w-]{22}$/) } })
  const inADay = Date.parse(invited.body.expiresAt) - Date.now()
  expect(Math.round(inADay / 3_600_000)).toBe(24)
  const { token } = invited.body
  const bob = portal.visit()
  expect((await bob.post('/links/use', { token, name: 'Bob', password: PASSWORD })).status).toBe(201)
  expect((await owner.get(of('/members'))).body).toEqual([
    { id: owner.id, name: 'Olga', role: 'owner', joinedAt: expect.any(String), seenAt: expect.any(String) },
    {
      id: expect.any(String),
      name: 'Bob',
      role: 'accountant',
      joinedAt: expect.any(String),
      seenAt: expect.any(String),
    },
  ])
  expect((await bob.post(of('/invitations'), { role: 'viewer' })).status).toBe(403)
})

test('who has a user already joins with it, once', async () => {
  const bob = await portal.signedInUser('Bob', { role: 'viewer' })
  const token = await portal.invite('owner', account)
  expect(await portal.visit().post('/links/join', { token })).toMatchObject(SIGNED_OUT)
  expect((await bob.post('/links/look', { token })).body).toMatchObject({ kind: 'invitation', signedInAs: 'Bob' })
  const joined = await bob.post('/links/join', { token })
  const accounts = joined.body.accounts.map(({ id, role }: Record<string, string>) => `${id} ${role}`)
  expect([joined.status, accounts]).toEqual([200, ['1 viewer', `${account} owner`]])
  expect((await bob.post('/links/join', { token })).status).toBe(404)
  expect((await owner.post('/links/join', { token: await portal.invite('viewer', account) })).status).toBe(200)
  expect(await rolesIn(owner)).toEqual(['Olga owner', 'Bob owner'])
  expect((await portal.pool.query('select from portal_user')).rowCount).toBe(2)
})

test('an invitation raises a lower role, and another kind of link is none to join by', async () => {
  const bob = await member('Bob', 'viewer')
  await bob.post('/links/join', { token: await portal.invite('accountant', account) })
  expect(await rolesIn(owner)).toEqual(['Olga owner', 'Bob accountant'])
  const { rows } = await portal.pool.query('select id from portal_user where name = $1', ['Olga'])
  const { createLink } = await import('../../src/features/portal-users/links.ts')
  const { token } = await createLink(portal.db, { kind: 'recovery', userId: String(rows[0].id) })
  expect((await bob.post('/links/join', { token })).status).toBe(404)
  expect((await bob.post('/links/look', { token })).status).toBe(200)
})

test('open invitations are listed and revoked by owners', async () => {
  const invited = await owner.post(of('/invitations'), { role: 'accountant' })
  const byCommand = await portal.invite('viewer', account)
  const listed = await owner.get(of('/invitations'))
  const times = { createdAt: expect.any(String), expiresAt: invited.body.expiresAt }
  expect(listed).toMatchObject({
    status: 200,
    body: [
      { role: 'viewer', by: null },
      { id: expect.any(String), role: 'accountant', by: 'Olga', ...times },
    ],
  })
  expect(listed.text).not.toContain(invited.body.token)
  const eve = await portal.signedInUser('Eve', { role: 'owner', accountId: await portal.newAccount('other') })
  const [, { id }] = listed.body
  expect((await eve.remove(`/accounts/${eve.id}/invitations/${id}`)).status).toBe(404)
  expect((await owner.remove(of(`/invitations/${id}`))).status).toBe(200)
  expect((await owner.remove(of(`/invitations/${id}`))).status).toBe(404)
  expect((await eve.post('/links/join', { token: invited.body.token })).status).toBe(404)
  expect((await eve.post('/links/join', { token: byCommand })).status).toBe(200)
  expect((await owner.get(of('/invitations'))).body).toEqual([])
  expect(await portal.audited('revoked an invitation')).toMatchObject([
    { account, user: 'Olga', detail: { role: 'accountant' } },
  ])
})

test.each([
  ['is removed', null],
  ['is lowered', 'accountant'],
] as const)('invitations end when their author %s, and stay ended', async (_how, role) => {
  const rogue = await member('Rob', 'owner')
  const tokens = [
    await rogue.post(of('/invitations'), { role: 'owner' }),
    await rogue.post(of('/invitations'), { role: 'viewer' }),
  ]
  const kept = await owner.post(of('/invitations'), { role: 'viewer' })
  const path = of(`/members/${rogue.id}`)
  expect((await (role ? owner.patch(path, { role }) : owner.remove(path))).status).toBe(200)
  await rogue.renewSession()
  for (const { body } of tokens) {
    expect((await rogue.post('/links/join', { token: body.token })).status).toBe(404)
    expect((await portal.visit().post('/links/look', { token: body.token })).status).toBe(404)
    const use = { token: body.token, name: 'Rob again', password: PASSWORD }
    expect((await portal.visit().post('/links/use', use)).status).toBe(404)
  }
  await portal.pool.query(
    `insert into portal_member (user_id, account_id, role) values ($1, $2, 'owner')
     on conflict (user_id, account_id) do update set role = 'owner'`,
    [rogue.id, account],
  )
  expect((await portal.visit().post('/links/look', { token: tokens[0]?.body.token })).status).toBe(404)
  expect((await portal.visit().post('/links/look', { token: kept.body.token })).status).toBe(200)
})

test('invitations end with the user who made them, and with what made an operator one', async () => {
  const operator = await portal.signedInUser('Opal', { isOperator: true })
  const other = await member('Otto', 'owner')
  const [first, second] = [
    await operator.post(of('/invitations'), { role: 'owner' }),
    await other.post(of('/invitations'), { role: 'owner' }),
  ]
  const isOpen = async ({ body }: { body: { token: string } }) =>
    (await portal.visit().post('/links/look', { token: body.token })).status === 200
  expect([await isOpen(first), await isOpen(second)]).toEqual([true, true])
  await portal.pool.query('update portal_user set is_operator = false where id = $1', [operator.id])
  await portal.pool.query('delete from portal_user where id = $1', [other.id])
  expect([await isOpen(first), await isOpen(second)]).toEqual([false, false])
})

test('another role counts at once, and ends the sessions of its user', async () => {
  const bob = await member('Bob', 'viewer')
  expect((await owner.patch(of(`/members/${bob.id}`), { role: 'owner' })).status).toBe(200)
  expect(await bob.get('/session')).toMatchObject(SIGNED_OUT)
  await bob.renewSession()
  expect((await bob.get(of('/audit'))).status).toBe(200)
  expect((await owner.get('/session')).status).toBe(200)
  expect((await bob.remove(of(`/members/${owner.id}`))).status).toBe(200)
  expect(await owner.get('/session')).toMatchObject(SIGNED_OUT)
  await owner.renewSession()
  expect((await owner.get(of('/members'))).status).toBe(404)
  expect((await owner.get('/session')).body.accounts).toEqual([])
  expect(await rolesIn(bob)).toEqual(['Bob owner'])
})

test('the last owner is neither removed nor lowered', async () => {
  const bob = await member('Bob', 'accountant')
  const itself = of(`/members/${owner.id}`)
  expect(await owner.remove(itself)).toMatchObject(LAST_OWNER)
  expect(await owner.patch(itself, { role: 'accountant' })).toMatchObject(LAST_OWNER)
  expect((await owner.get('/session')).status).toBe(200)
  expect((await owner.patch(itself, { role: 'owner' })).status).toBe(200)
  await owner.renewSession()
  expect((await owner.patch(of(`/members/${bob.id}`), { role: 'owner' })).status).toBe(200)
  expect((await owner.patch(itself, { role: 'viewer' })).status).toBe(200)
  await owner.renewSession()
  expect(await rolesIn(owner)).toEqual(['Olga viewer', 'Bob owner'])
})

test('owners that lower each other at once leave one', async () => {
  const others = await Promise.all(['B', 'C', 'D', 'E'].map((name) => member(name, 'owner')))
  const all = [owner, ...others]
  const answers = await Promise.all(
    all.map((by, index) => by.patch(of(`/members/${all[(index + 1) % all.length]?.id}`), { role: 'viewer' })),
  )
  // A user who was demoted first may not act any more. The last request finds a last owner.
  for (const { status } of answers) expect([200, 401, 403, 409]).toContain(status)
  const { rows } = await portal.pool.query(`select from portal_member where account_id = $1 and role = 'owner'`, [
    account,
  ])
  expect(rows.length).toBeGreaterThanOrEqual(1)
})

test('members of another account are none here', async () => {
  const eve = await portal.signedInUser('Eve', { role: 'owner', accountId: await portal.newAccount('other') })
  for (const id of [eve.id, '999']) {
    expect((await owner.patch(of(`/members/${id}`), { role: 'viewer' })).status).toBe(404)
    expect((await owner.remove(of(`/members/${id}`))).status).toBe(404)
  }
  expect((await owner.remove(of('/members/x'))).status).toBe(400)
  expect((await eve.remove(of(`/members/${owner.id}`))).status).toBe(404)
  expect((await eve.get('/session')).status).toBe(200)
})

test('the log of an account is read by its owners, page by page, and has nothing of another', async () => {
  const bob = await member('Bob', 'viewer')
  const eve = await portal.signedInUser('Eve', { role: 'owner', accountId: await portal.newAccount('other') })
  await owner.post(of('/keys'), { name: 'laptop' })
  await owner.patch(of(`/members/${bob.id}`), { role: 'accountant' })
  await owner.post(of('/invitations'), { role: 'viewer' })
  await owner.remove(of(`/members/${bob.id}`))
  const first = (await owner.get(of('/audit?limit=3'))).body
  const rest = (await owner.get(of(`/audit?limit=3&before=${first[2].id}`))).body
  const by = { user: 'Olga', address: owner.address, id: expect.any(String), at: expect.any(String) }
  expect([...first, ...rest]).toEqual([
    { ...by, action: 'removed a member', detail: { user: 'Bob', from: 'accountant' } },
    { ...by, action: 'invited a member', detail: { role: 'viewer' } },
    { ...by, action: 'changed a role', detail: { user: 'Bob', from: 'viewer', role: 'accountant' } },
    { ...by, action: 'created a key', detail: { id: expect.any(String), name: 'laptop' } },
  ])
  expect((await eve.get(of('/audit'))).status).toBe(404)
  expect((await owner.get(of('/audit?limit=201'))).status).toBe(400)
  expect((await owner.get(of('/audit?before=x'))).status).toBe(400)
})
