import { afterEach, expect, test } from 'vitest'
import { type BeaconServer, byPath, recorded, startBeaconServer } from '../../test/beacon/beacon-server.ts'
import { HANGS_MS } from '../../test/hangs.ts'
import { createBeaconPool } from './beacon-pool.ts'
import { type BeaconRequest, hasBit, NoHistory } from './beacon-request.ts'
import { beaconBlockRequest, headerRequest } from './block-requests.ts'
import { committeesRequest, proposerDutiesRequest, syncCommitteeRequest } from './duty-requests.ts'
import { finalityRequest, genesisRequest, specRequest, syncingRequest } from './network-requests.ts'
import { attestationRewardsRequest, blockRewardRequest, syncRewardsRequest } from './reward-requests.ts'
import { validatorRequest, validatorsRequest } from './validator-requests.ts'

// Recorded answers of a node (`test/beacon/recorded`), and documented answers of other nodes.

const servers: BeaconServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())))

async function start(answer: BeaconServer['answer']): Promise<BeaconServer> {
  const server = await startBeaconServer(answer)
  servers.push(server)
  return server
}

const poolOf = (...nodes: BeaconServer[]) =>
  createBeaconPool({
    urls: nodes.map(({ url }) => url),
    limits: { backoffMs: 1, timeoutMs: HANGS_MS, pastTimeoutMs: HANGS_MS },
  })

async function read<T>(request: BeaconRequest<T>, body: unknown, status = 200): Promise<T> {
  return poolOf(await start(() => ({ status, body }))).request(request)
}

const edited = (name: string, edit: (data: never) => void) => {
  const answer = recorded(name)
  edit(answer.data)
  return answer
}

test('genesis and the constants of the network', async () => {
  expect(await read(genesisRequest, recorded('genesis'))).toEqual({
    genesisTime: 1_606_824_023,
    genesisValidatorsRoot: '0xc67bc399e43c258a1d74df669b36fe3cd4ea142a544fa5354d516bf3932b67ee',
    genesisForkVersion: '0x00000001',
  })
  const spec = await read(specRequest, recorded('spec'))
  expect(spec).toMatchObject({
    ...{ secondsPerSlot: 12, slotsPerEpoch: 8, epochsPerSyncCommitteePeriod: 8, epochsPerSlashingsVector: 64 },
    ...{ effectiveBalanceIncrementGwei: 1_000_000_000n, mergedAtFork: true },
    forkEpochs: { altair: 0, bellatrix: 0, capella: 0, electra: 0 },
    ...{ depositContract: '0x1234567890123456789012345678901234567890', depositChainId: 5n },
  })
  // Forks after Bellatrix do not change the multiplier. Electra changes the quotient.
  expect(spec.slashing.at(-1)).toEqual({ fromEpoch: 0, minPenaltyQuotient: 4096n, proportionalMultiplier: 3n })
})

test('the duration of a slot is read in ms where it is given so, in seconds elsewhere', async () => {
  const both = { SLOT_DURATION_MS: '6000', SECONDS_PER_SLOT: '12' }
  const of = (change: object) => edited('spec', (data) => void Object.assign(data, change))
  expect(await read(specRequest, of(both))).toMatchObject({ secondsPerSlot: 6 })
  const old = edited('spec', (data: Record<string, unknown>) => delete data['SLOT_DURATION_MS'])
  expect(await read(specRequest, old)).toMatchObject({ secondsPerSlot: 12 })
  await expect(read(specRequest, of({ SLOT_DURATION_MS: '1500' }))).rejects.toThrow('SLOT_DURATION_MS')
})

test('forks that are not planned have no epoch; those of another network hold from theirs on', async () => {
  const planned = edited('spec', (data) => {
    const mainnet = { ALTAIR_FORK_EPOCH: '74240', BELLATRIX_FORK_EPOCH: '144896', CAPELLA_FORK_EPOCH: '194048' }
    Object.assign(data, mainnet, { DENEB_FORK_EPOCH: '269568', ELECTRA_FORK_EPOCH: '18446744073709551615' })
    Object.assign(data, { FULU_FORK_EPOCH: '18446744073709551615' })
  })
  const { forkEpochs, slashing } = await read(specRequest, planned)
  expect(forkEpochs).toEqual({ altair: 74_240, bellatrix: 144_896, capella: 194_048, electra: null })
  expect(slashing.map(({ fromEpoch }) => fromEpoch)).toEqual([0, 74_240, 144_896, 194_048, 269_568])
  expect(slashing.at(-1)).toEqual({ fromEpoch: 269_568, minPenaltyQuotient: 32n, proportionalMultiplier: 3n })
})

test('finality, and how far a node is behind', async () => {
  const root = '0x314763b41ddf9959ba1c00a17a13787ba087d2b031a46411046735eb65842dba'
  expect(await read(finalityRequest, recorded('finality'))).toEqual({ epoch: 22, root })
  expect(await read(syncingRequest, recorded('syncing'))).toEqual({ isSyncing: false, behindSlots: 0 })
})

test('a validator: far epochs are null, letters of hex are small, an unknown one is null', async () => {
  const shouted = edited('validator', (data: { validator: Record<string, string> }) => {
    data.validator['pubkey'] = data.validator['pubkey']?.toUpperCase().replace('0X', '0x') ?? ''
  })
  expect(await read(validatorRequest('head', 3), shouted)).toEqual({
    ...{ index: 3, status: 'active_ongoing', balanceGwei: 32_002_307_550n, effectiveBalanceGwei: 32_000_000_000n },
    ...{ slashed: false, activationEpoch: 0, exitEpoch: null, withdrawableEpoch: null },
    pubkey: '0x88c141df77cd9d8d7a71a75c826c41a9c9f03c6ee1b180f3e7852f6a280099ded351b58d66e653af8e42816a4d8f532e',
    withdrawalCredentials: '0x010000000000000000000000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa4',
  })
  expect(await read(validatorRequest('head', 11), recorded('validator-exited'))).toMatchObject({
    ...{ status: 'exited_unslashed', exitEpoch: 7, withdrawableEpoch: 263 },
  })
  expect(await read(validatorRequest('head', 900), recorded('not-found'), 404)).toBeNull()
})

test('a public key is asked for in small letters', async () => {
  const server = await start(() => ({ body: recorded('validator') }))
  await poolOf(server).request(validatorRequest('head', `0x${'AB'.repeat(48)}`))
  expect(server.asked).toMatchObject([{ path: `/eth/v1/beacon/states/head/validators/0x${'ab'.repeat(48)}` }])
})

test('several validators are requested by POST, with only their ids', async () => {
  const server = await start(() => ({ body: recorded('validators') }))
  const found = await poolOf(server).request(validatorsRequest(40, [3, 11]))
  expect(server.asked).toEqual([
    { method: 'POST', path: '/eth/v1/beacon/states/40/validators', body: { ids: ['3', '11'] } },
  ])
  expect(found.map(({ index, status }) => [index, status])).toEqual([
    [3, 'active_ongoing'],
    [11, 'active_exiting'],
  ])
})

test('balances and amounts beyond what a double holds keep every digit', async () => {
  const rich = edited('validator', (data: Record<string, unknown>) => {
    data['balance'] = '9007199254740993'
  })
  expect(await read(validatorRequest('head', 3), rich)).toMatchObject({ balanceGwei: 9_007_199_254_740_993n })
})

test('a block since Electra: committee bits, requests for deposits, the execution block', async () => {
  const block = await read(beaconBlockRequest(10), recorded('block'))
  expect(block).toMatchObject({
    ...{ slot: 10, proposerIndex: 41 },
    executionPayload: { feeRecipient: `0x${'a'.repeat(37)}3e8` },
    deposits: [
      {
        withdrawalCredentials: '0x010000000000000000000000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa65',
        ...{ amountGwei: 32_000_000_000n, depositIndex: 64 },
      },
    ],
  })
  const [attestation] = block?.attestations ?? []
  expect(attestation).toMatchObject({ slot: 9, committeeIndex: 0 })
  // 0xff01: eight members who all attested, and the bit that ends the list. 0x03: committees 0 and 1.
  expect([0, 7, 8, 9].map((bit) => attestation && hasBit(attestation.aggregationBits, bit))).toEqual([
    ...[true, true, true, false],
  ])
  expect([0, 1, 2].map((bit) => attestation?.committeeBits && hasBit(attestation.committeeBits, bit))).toEqual([
    true,
    true,
    false,
  ])
  expect(block?.syncCommitteeBits?.length).toBe(4)
})

test('blocks of older forks lack what came later', async () => {
  const without = (...names: string[]) =>
    edited('block', (data: { message: { body: Record<string, unknown> } }) => {
      for (const name of names) delete data.message.body[name]
      for (const each of data.message.body['attestations'] as Record<string, unknown>[]) delete each['committee_bits']
    })
  const phase0 = await read(
    beaconBlockRequest(10),
    without('sync_aggregate', 'execution_payload', 'execution_requests'),
  )
  expect(phase0).toMatchObject({ syncCommitteeBits: null, executionPayload: null, deposits: [] })
  expect(phase0?.attestations[0]).toMatchObject({ committeeBits: null })
  const beforeTheMerge = edited('block', (data: { message: { body: Record<string, Record<string, string>> } }) => {
    Object.assign(data.message.body['execution_payload'] ?? {}, { block_hash: `0x${'0'.repeat(64)}` })
  })
  expect(await read(beaconBlockRequest(10), beforeTheMerge)).toMatchObject({ executionPayload: null, hasBid: false })
})

test('blocks of Gloas have a bid, and their payload is elsewhere', async () => {
  const gloas = edited('block', ({ message: { body } }: { message: { body: Record<string, unknown> } }) => {
    delete body['execution_payload']
    delete body['execution_requests']
    body['signed_execution_payload_bid'] = { message: { builder_index: '3', value: '1000' }, signature: '0x' }
  })
  expect(await read(beaconBlockRequest(10), gloas)).toMatchObject({ executionPayload: null, hasBid: true })
})

test('a slot without a block is null, not a failure', async () => {
  expect(await read(beaconBlockRequest(41), recorded('not-found'), 404)).toBeNull()
  expect(await read(headerRequest(41), recorded('not-found'), 404)).toBeNull()
})

test('committees, sync committees and who proposes', async () => {
  expect((await read(committeesRequest(40, 5), recorded('committees')))[3]).toEqual({
    ...{ slot: 41, index: 1, validators: [56, 14, 33, 48] },
  })
  const seats = await read(syncCommitteeRequest(40, 5), recorded('sync-committees'))
  expect([seats.length, seats.filter((index) => index === 63).length]).toEqual([32, 2])
  const duties = await read(proposerDutiesRequest(4, 8), recorded('proposer-duties'))
  expect(duties[3]).toEqual({ slot: 35, validatorIndex: 23 })
  await expect(read(proposerDutiesRequest(5, 8), recorded('proposer-duties'))).rejects.toMatchObject({
    reason: 'invalid',
  })
})

test('rewards of attestations by effective balance and by validator', async () => {
  const server = await start(() => ({ body: recorded('rewards-attestations') }))
  const { ideal, total } = await poolOf(server).request(attestationRewardsRequest(4, [3, 7, 9]))
  expect(server.asked).toEqual([
    { method: 'POST', path: '/eth/v1/beacon/rewards/attestations/4', body: ['3', '7', '9'] },
  ])
  expect(ideal.get(32_000_000_000n)).toMatchObject({ headGwei: 305_853n, targetGwei: 568_013n, sourceGwei: 305_853n })
  expect(total.get(7)).toEqual({
    ...{ headGwei: 0n, targetGwei: -576_888n, sourceGwei: -310_632n, inactivityGwei: 0n, inclusionDelayGwei: 0n },
  })
})

test('rewards of sync committees and of blocks', async () => {
  const rewards = await read(syncRewardsRequest(40, [40, 63]), recorded('rewards-sync'))
  expect([...rewards]).toEqual([
    [40, 11_267n],
    [63, 22_534n],
  ])
  expect(await read(blockRewardRequest(40), recorded('rewards-block'))).toEqual({
    proposerIndex: 5,
    totalGwei: 1_420_804n,
  })
})

test('a reward with a fraction is refused, and named', async () => {
  const fraction = edited('rewards-attestations', (data: { total_rewards: { head: string }[] }) => {
    Object.assign(data.total_rewards[0] ?? {}, { head: '12105.48828125' })
  })
  await expect(read(attestationRewardsRequest(4, [3]), fraction)).rejects.toMatchObject({
    ...{ name: 'UpstreamError', reason: 'invalid' },
    message: `total_rewards.head of a beacon node's answer is "12105.48828125"`,
  })
})

test('a sync reward that is a whole balance is refused, and named', async () => {
  const balance = { data: [{ validator_index: '40', reward: '32015479160' }] }
  await expect(read(syncRewardsRequest(40, [40]), balance)).rejects.toMatchObject({
    ...{ reason: 'invalid', message: `rewards/sync_committee.reward of a beacon node's answer is "32015479160"` },
  })
})

test.each([404, 500])('HTTP %i to a question about the past is no history, and never nothing', async (status) => {
  const refused = { code: status, message: 'State is unavailable for slot 7' }
  for (const request of [attestationRewardsRequest(4, [3]), validatorsRequest(7, [3]), syncRewardsRequest(7, [3])]) {
    await expect(read<unknown>(request, refused, status)).rejects.toBeInstanceOf(NoHistory)
  }
})

test('another node is asked for what one has no history of, and neither is thought ill', async () => {
  const pruned = await start(() => ({ status: 404, body: {} }))
  const archive = await start(() => ({ body: recorded('validators') }))
  const pool = poolOf(pruned, archive)
  for (let i = 0; i < 6; i += 1) expect(await pool.request(validatorsRequest(40, [3, 11]))).toHaveLength(2)
  pruned.answer = () => ({ body: recorded('genesis') })
  archive.answer = () => ({ status: 503, body: '' })
  expect(await pool.request(genesisRequest)).toMatchObject({ genesisTime: 1_606_824_023 })
})

test.each([
  ['the node is busy', 429, 'rate-limited'],
  ['the key is wrong', 403, 'not-allowed'],
  ['the node is down', 503, 'unavailable'],
  ['the state of the present fails', 500, 'unavailable'],
  ['the answer is a page of a proxy', 200, 'invalid'],
])('%s: HTTP %i is reported as %s, without the URL', async (_what, status, reason) => {
  const server = await start(() => ({ status, body: '<html>' }))
  const url = `${server.url}/secret-key`
  const failure = createBeaconPool({ urls: [url], limits: { backoffMs: 1 } }).request(finalityRequest)
  await expect(failure).rejects.toMatchObject({ reason })
  await expect(failure).rejects.not.toThrow(/secret-key|127\.0\.0\.1/)
})

test('a key stays in the path or the query of the URL that has it', async () => {
  const server = await start(
    byPath({
      '/key/eth/v1/beacon/genesis': recorded('genesis'),
      '/eth/v1/beacon/states/40/committees?apikey=k&epoch=5': recorded('committees'),
    }),
  )
  expect(await createBeaconPool({ urls: [`${server.url}/key/`] }).request(genesisRequest)).toBeDefined()
  const withQuery = createBeaconPool({ urls: [`${server.url}/?apikey=k`] })
  expect(await withQuery.request(committeesRequest(40, 5))).toHaveLength(16)
})
