import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClaimAnswer, type ClaimApi, startClaimApi } from '../../../../test/claim-api.ts'
import { secret } from '../../../lib/secret.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { publishedSources } from '../distributors/published-sources.ts'
import { createAskProofs } from './http-proofs.ts'

const WALLET = 'So11111111111111111111111111111111111111112'
const TREE = 'DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const DBR = 'DBRiDgJAMsM95moTzJs7M9LnkGErpbv9v6CUR1DXnUu5'
const hash = (first: number) => Array.from({ length: 32 }, (_, at) => (at === 0 ? first : 7))
/** Much longer than a loopback answer takes. */
const PATIENT_MS = 10_000

let api: ClaimApi
beforeAll(async () => {
  api = await startClaimApi()
})
afterAll(() => api.stop())

function ask(key: string, answer: (path: string) => ClaimAnswer | undefined, timeLimitMs = PATIENT_MS) {
  const source = publishedSources.find((row) => row.key === key) ?? expect.fail(`no source ${key}`)
  api.answerWith(answer)
  return createAskProofs(new Map([[key, secret(`${api.url}/relay/`)]]), timeLimitMs)(source, WALLET)
}

const json = (value: unknown): ClaimAnswer => ({ body: JSON.stringify(value) })
const said = (unlockedRaw: bigint, lockedRaw = 0n, distributor = TREE) => ({
  ...{ distributor, allocation: { unlockedRaw, lockedRaw } },
  proof: [Uint8Array.from(hash(1)), Uint8Array.from(hash(2))],
})
const proof = [hash(1), hash(2)]

describe('what claim APIs document', () => {
  const drift = { claimant: WALLET, mint: TREE, start_ts: 1, end_ts: 2, start_amount: 50, unvested_amount: 0 }
  it.each([
    ['jupiter_s1', `jup-claim-proof/${JUP}`, { merkle_tree: TREE, amount: '123000000' }, said(123_000_000n)],
    [
      'jupiter_jupuary_2025',
      'claim-proof-2025',
      { merkle_tree: TREE, amount: 5, locked_amount: 6, mint: JUP },
      said(5n, 6n),
    ],
    ['kamino_s3', 'distributor/user', { merkle_tree: TREE, amount: 9 }, said(9n)],
    ['drift_s3', 'eligibility', { ...drift, merkle_tree: TREE, end_amount: 101, locked_amount: 3 }, said(101n, 3n)],
    [
      'jito',
      'proof',
      { amount_locked: 4, amount_unlocked: 3 },
      said(3n, 4n, 'HS8EQ8QkQSBJggY8r255AKdWbtYRtyNMoRt4LjNkkWm1'),
    ],
  ])('%s', async (key, path, answer, claim) => {
    expect(await ask(key, () => json({ ...answer, proof }))).toEqual([claim])
    expect(api.asked()).toEqual([`/relay/${path}/${WALLET}`])
  })

  it('staking rewards, a list over several tokens of which one is the source’s', async () => {
    const claims = [
      { mint: JUP, merkle_tree: TREE, amount: 1, proof },
      { mint: DBR, merkle_tree: TREE, amount: 2, locked_amount: null, proof },
    ]
    expect(await ask('jupiter_asr_3', () => json({ claim: claims, voteCount: '1' }))).toEqual([said(2n)])
    expect(api.asked()).toEqual([`/relay/asr-claim-proof/${WALLET}?asrTimeline=jan-2025&mints=${DBR}`])
    expect(await ask('jupiter_asr_3', () => json({ claim: [] }))).toEqual([])
  })

  it('Streamflow’s list of a wallet’s airdrops, and the proof of each', async () => {
    const trees = [TREE, JUP]
    const claims = await ask('streamflow', (path) => {
      const items = [...trees, TREE].map((distributorAddress) => ({ distributorAddress }))
      if (path.includes('claimable')) return json({ items, limit: 100, offset: 0 })
      const claim = {
        chain: 'SOLANA',
        address: WALLET,
        amountUnlocked: '1',
        amountLocked: '2',
        amountClaimed: '0',
        proof,
      }
      return json({ ...claim, distributorAddress: path.split('/')[5] })
    })
    expect(claims).toEqual([said(1n, 2n), said(1n, 2n, JUP)])
    expect(api.asked()[0]).toBe(
      `/relay/v2/api/airdrops/claimable/${WALLET}/?limit=100&skimZeroValued=false&chain=SOLANA`,
    )
    expect(api.asked().slice(1).sort()).toEqual(
      trees.map((tree) => `/relay/v2/api/airdrops/${tree}/claimants/${WALLET}`).sort(),
    )
  })

  it('an amount of 64 bits, as a number and as a text', async () => {
    const max = '18446744073709551615'
    const answer = (amount: string) => ({
      body: JSON.stringify({ merkle_tree: TREE, amount: '?', proof }).replace('"?"', amount),
    })
    for (const amount of [max, `"${max}"`]) {
      expect(await ask('kamino_s3', () => answer(amount))).toEqual([said(2n ** 64n - 1n)])
    }
    for (const amount of ['18446744073709551616', '"1.5"', '1.5', '1e3', '-1', '""', 'true', 'null']) {
      await expect(
        ask('kamino_s3', () => answer(amount)),
        amount,
      ).rejects.toMatchObject({ reason: 'invalid' })
    }
  })
})

describe('a wallet that has nothing', () => {
  it.each([
    ['kamino_s3', { status: 404, body: '{"error":"User not found"}' }],
    ['jupiter_s1', { body: '"User not found"' }],
    ['jupiter_s1', { type: 'text/plain', body: 'Not eligible' }],
    ['drift_s3', json({ error: 'User not found' })],
    ['streamflow', json({ items: [], limit: 100, offset: 0 })],
  ] satisfies [string, ClaimAnswer][])('%s', async (key, answer) => {
    expect(await ask(key, () => answer)).toEqual([])
  })
})

describe('a source that cannot be believed', () => {
  const claim = { merkle_tree: TREE, amount: 1, proof }
  it.each([
    ['a plain text where none is documented', 'kamino_s3', { type: 'text/plain', body: 'gone' }, 'invalid'],
    ['a page of somebody in between', 'jupiter_s1', { type: 'text/html', body: '<html>Sign in</html>' }, 'invalid'],
    ['a long text', 'jupiter_s1', { body: 'x'.repeat(300) }, 'invalid'],
    ['JSON cut short', 'jupiter_s1', { body: '{"merkle_tree":' }, 'invalid'],
    ['an overload', 'kamino_s3', { status: 429, body: '' }, 'rate-limited'],
    ['a failure', 'kamino_s3', { status: 500, body: '' }, 'unavailable'],
    ['a redirect', 'kamino_s3', { status: 302, body: '' }, 'unavailable'],
    ['no list', 'jupiter_asr_4', json({ claims: [] }), 'invalid'],
    ['no distributor', 'kamino_s3', json({ amount: 1, proof }), 'invalid'],
    ['a distributor that is no address', 'kamino_s3', json({ ...claim, merkle_tree: 'l0l' }), 'invalid'],
    ['another token', 'jupiter_s1', json({ ...claim, mint: TREE }), 'invalid'],
    ['no proof', 'kamino_s3', json({ merkle_tree: TREE, amount: 1 }), 'invalid'],
    ['a proof of short hashes', 'kamino_s3', json({ ...claim, proof: [[1, 2]] }), 'invalid'],
    ['a proof of large bytes', 'kamino_s3', json({ ...claim, proof: [hash(256)] }), 'invalid'],
    ['a proof without end', 'kamino_s3', json({ ...claim, proof: Array(65).fill(hash(1)) }), 'invalid'],
    ['a list that is cut off', 'streamflow', json({ items: Array(100).fill({ distributorAddress: TREE }) }), 'invalid'],
  ] satisfies [string, string, ClaimAnswer, string][])('%s', async (_, key, answer, reason) => {
    const failure = await ask(key, () => answer).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UpstreamError)
    expect(failure).toMatchObject({ reason })
    expect(String(failure)).toContain(`${key}: `)
    expect(String(failure)).not.toContain('127.0.0.1')
  })

  it('another distributor than was asked about', async () => {
    const answers = (path: string) =>
      json(
        path.includes('claimable')
          ? { items: [{ distributorAddress: TREE }] }
          : { distributorAddress: JUP, amountUnlocked: '1', amountLocked: '2', proof },
      )
    await expect(ask('streamflow', answers)).rejects.toMatchObject({ reason: 'invalid' })
  })

  it('one that does not answer, at once or after its list', async () => {
    const silent = (): ClaimAnswer => ({ body: '', silent: true })
    await expect(ask('kamino_s3', silent, 100)).rejects.toMatchObject({ reason: 'timeout' })
    const behind = (path: string) =>
      path.includes('claimable') ? json({ items: [{ distributorAddress: TREE }] }) : silent()
    await expect(ask('streamflow', behind, 300)).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('one that is not there', async () => {
    const source = publishedSources.find(({ key }) => key === 'kamino_s3') ?? expect.fail('no source')
    const askDead = createAskProofs(new Map([[source.key, secret('http://127.0.0.1:9')]]))
    await expect(askDead(source, WALLET)).rejects.toMatchObject({ reason: 'unavailable' })
  })
})
