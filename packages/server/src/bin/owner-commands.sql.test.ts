import { generateKeyPairSync, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { accountWith } from '../../test/ledger/accounts.ts'
import { commandBench, operator } from '../../test/operator.ts'

const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const STARKNET = `0x0${'4'.repeat(63)}`
const WRONG = 'This address did not sign the open challenge with this signature.\n'
const NONE_OPEN = 'There is no open challenge for this address: create one first.\n'

const owner = privateKeyToAccount(generatePrivateKey())
const outsider = privateKeyToAccount(generatePrivateKey())
const address = owner.address.toLowerCase()
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const solana = base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))

const { database, account, env } = await commandBench('owner_commands')
beforeEach(async () => {
  await database.pool.query('truncate address_book_entry, bundle_member, owner_challenge')
  await save(account, address, solana, TRON, STARKNET)
})

async function save(account: string, ...addresses: string[]): Promise<void> {
  const insert = `insert into address_book_entry (account_id, address, label) select $1, unnest($2::text[]), 'Mine'`
  await database.pool.query(insert, [account, addresses])
}

/** The chain does not answer. A key's signature needs no chain. */
const run = (...args: string[]) =>
  operator(publicUrl ? { ...env, COFFER_PUBLIC_URL: publicUrl } : env, database).run(['address', ...args])
let publicUrl: string | undefined

async function challenge(of = owner.address as string, by = account): Promise<{ text: string; expiresAt: string }> {
  const { stdout, stderr } = await run('challenge', '--account', by, '--address', of)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}
const verify = (signature: string, of = owner.address as string, by = account) =>
  run('verify', '--account', by, '--address', of, '--signature', signature)

/** Authorized addresses of all accounts. */
async function authorized(): Promise<string[]> {
  const { rows } = await database.pool.query<{ address: string }>(
    'select address from address_book_entry where owner_authorized',
  )
  return rows.map((row) => row.address)
}

test('a challenge says who asks, for whom, what and until when', async () => {
  publicUrl = 'https://api.example/coffer/'
  const { text, ...rest } = await challenge()
  publicUrl = undefined
  expect(rest).toEqual({ account, address, expiresAt: expect.any(String) })
  const [, nonce, issued, expires] = /Nonce: ([0-9a-f]{32})\nIssued at: (\S+)\nExpires at: (\S+)$/.exec(text) ?? []
  expect(text).toBe(
    [
      'Sign this text to show that the address below is yours. It moves nothing and costs nothing.',
      '',
      'Service: Coffer at https://api.example/coffer',
      `Account: ${account}`,
      `Address: ${address}`,
      `Nonce: ${nonce}`,
      `Issued at: ${issued}`,
      `Expires at: ${expires}`,
    ].join('\n'),
  )
  expect(expires).toBe(rest.expiresAt)
  expect(Date.parse(expires ?? '') - Date.parse(issued ?? '')).toBe(3_600_000)
  expect(Math.abs(Date.now() - Date.parse(issued ?? ''))).toBeLessThan(60_000)
  expect((await challenge()).text).not.toBe(text)
})

test("an owner's signature authorises the entry, once", async () => {
  const { text } = await challenge()
  const signature = await owner.signMessage({ message: text })
  const { code, stdout, stderr } = await verify(signature)
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual({
    ...{ account, address, label: 'Mine', plan: 'FREE', expiresAt: null, isPaid: false },
    ...{ ownerAuthorized: true, verifiedOn: null },
  })
  expect(await authorized()).toEqual([address])
  await run('set', '--account', account, '--address', address, '--owner-authorized', 'false')
  expect(await verify(signature)).toEqual({ code: 1, stdout: '', stderr: NONE_OPEN })
  expect(await authorized()).toEqual([])
})

test('so does one of a Solana wallet', async () => {
  for (const encode of [base58.encode, (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')]) {
    const { text } = await challenge(solana)
    expect((await verify(encode(sign(null, Buffer.from(text), privateKey)), solana)).code).toBe(0)
  }
  expect(await authorized()).toEqual([solana])
})

test('of signatures that are given at once one counts', async () => {
  const { text } = await challenge()
  const signature = await owner.signMessage({ message: text })
  const codes = await Promise.all(Array.from({ length: 6 }, async () => (await verify(signature)).code))
  expect(codes.toSorted()).toEqual([0, 1, 1, 1, 1, 1])
})

describe('nothing changes and a sentence says why, when the signature is', () => {
  const unasked =
    'The key of this address did not sign the open challenge with this signature, and no node could check it with a contract on ethereum.\n'

  test('of another signer, of another text, or garbled', async () => {
    const { text } = await challenge()
    const good = await owner.signMessage({ message: text })
    const wrong = [
      await outsider.signMessage({ message: text }),
      await owner.signMessage({ message: `${text}\n` }),
      '0x00',
    ]
    for (const signature of wrong) expect(await verify(signature)).toEqual({ code: 1, stdout: '', stderr: unasked })
    for (const signature of ['hunter2', good.slice(2), base58.encode(Buffer.alloc(64, 1))]) {
      expect(await verify(signature)).toEqual({ code: 1, stdout: '', stderr: WRONG })
    }
    expect(await authorized()).toEqual([])
    expect((await verify(good)).code).toBe(0)
  })

  test('of a challenge that was replaced', async () => {
    const { text } = await challenge()
    const signature = await owner.signMessage({ message: text })
    await challenge()
    expect((await verify(signature)).stderr).toBe(unasked)
    expect(await authorized()).toEqual([])
  })

  test('of a challenge that has expired by the clock of the database', async () => {
    const { text } = await challenge()
    await database.pool.query(`update owner_challenge set expires_at = now()`)
    expect((await verify(await owner.signMessage({ message: text }))).stderr).toBe(
      'The challenge has expired: create a new one.\n',
    )
    expect(await authorized()).toEqual([])
  })

  test("of another account's or another address's challenge", async () => {
    const other = await accountWith(database.db, 0)
    await save(other, address)
    const theirs = await owner.signMessage({ message: (await challenge(address, other)).text })
    expect((await verify(theirs)).stderr).toBe(NONE_OPEN)
    await challenge()
    expect((await verify(theirs)).stderr).toBe(unasked)
    const { text } = await challenge(solana)
    expect((await verify(base58.encode(sign(null, Buffer.from(text), privateKey)))).stderr).toBe(WRONG)
    expect((await verify(await owner.signMessage({ message: text }), solana)).stderr).toBe(WRONG)
    expect(await authorized()).toEqual([])
  })

  test('for an entry that was removed and saved again', async () => {
    const { text } = await challenge()
    await database.pool.query('delete from address_book_entry where address = $1', [address])
    await save(account, address)
    expect((await verify(await owner.signMessage({ message: text }))).stderr).toBe(NONE_OPEN)
  })
})

test.each(['challenge', 'verify'])(
  '%s refuses addresses that cannot sign, and those that are not in the book',
  async (verb) => {
    const refused = async (of: string, by = account) => {
      const signature = verb === 'verify' ? ['--signature', '0x12'] : []
      const { code, stdout, stderr } = await run(verb, '--account', by, '--address', of, ...signature)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      return stderr
    }
    for (const address of [TRON, STARKNET]) {
      expect(await refused(address)).toBe('Only signatures of EVM and Solana addresses can be checked.\n')
    }
    const not = outsider.address.toLowerCase()
    expect(await refused(outsider.address)).toBe(`The address book of account ${account} has no ${not}.\n`)
    expect(await refused('hunter2')).toBe('--address is not a wallet address.\n')
    expect(await refused(address, '999999')).toBe('There is no account 999999.\n')
  },
)
