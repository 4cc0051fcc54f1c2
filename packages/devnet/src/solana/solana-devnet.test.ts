import { address, createSolanaRpc, getBase58Decoder, isSolanaError, lamports } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { getMintDecoder, getTokenDecoder, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022'
import { describe, expect, test, vi } from 'vitest'
import { bytesOf, SOL, startCluster } from '../../test/solana-cluster.ts'
import { mintExtensions } from './actions/mint-extensions.ts'
import { startSolanaDevnet } from './solana-devnet.ts'

const USDC = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')

const { devnet, rpc, keyOf, walletWith, balanceOf, dataOf, tokensOf } = await startCluster()

describe('accounts', () => {
  test('a wallet has what it was given', async () => {
    const wallet = await walletWith('accounts: wallet', 3n * SOL)
    await devnet.actions.sol.transfer(wallet, devnet.payer.address, SOL)
    const { context, value } = await rpc.getBalance(wallet.address).send()
    expect(value).toBe(2n * SOL - 5000n)
    expect(context.slot).toBe(devnet.chain.slot())
  })

  test('lamports and the epoch of rent are exact past what a double holds', async () => {
    const holder = await devnet.keypair('accounts: exact')
    devnet.chain.setAccount(holder.address, {
      owner: address('11111111111111111111111111111111'),
      data: new Uint8Array([1, 2, 3]),
      lamports: 18_446_744_073_709_551_557n,
    })
    const body = { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [holder.address, { encoding: 'base64' }] }
    const answer = await (await post(body)).text()
    expect(answer).toContain('"lamports":18446744073709551557')
    expect(answer).toContain('"rentEpoch":18446744073709551615')
    const { value } = await rpc.getAccountInfo(holder.address, { encoding: 'base64' }).send()
    expect(value?.lamports).toBe(18_446_744_073_709_551_557n)
  })

  test('an unused address is empty', async () => {
    const { value } = await rpc.getAccountInfo(address('Vote111111111111111111111111111111111111112')).send()
    expect(value).toBeNull()
  })

  test('slices and encodings are those that were asked for', async () => {
    const holder = await devnet.keypair('accounts: slices')
    const data = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
    devnet.chain.setAccount(holder.address, { owner: TOKEN_PROGRAM_ADDRESS, data })
    const dataSlice = { offset: 10, length: 4 }
    const sliced = await rpc.getAccountInfo(holder.address, { encoding: 'base58', dataSlice }).send()
    expect(sliced.value?.data).toEqual([getBase58Decoder().decode(new Uint8Array([10, 11, 12, 13])), 'base58'])
    const past = await rpc
      .getAccountInfo(holder.address, { encoding: 'base64', dataSlice: { offset: 299, length: 9 } })
      .send()
    expect(past.value?.data).toEqual([Buffer.from([43]).toString('base64'), 'base64'])
    await expect(rpc.getAccountInfo(holder.address, { encoding: 'base58' }).send()).rejects.toThrow(/base 58|128/)
  })

  test('many accounts come in the order asked for, missing ones as null, a hundred at most', async () => {
    const [first, second] = await Promise.all([devnet.keypair('accounts: a'), devnet.keypair('accounts: b')])
    await devnet.actions.sol.give(second.address, SOL)
    const keys = [first.address, second.address]
    const { value } = await rpc.getMultipleAccounts(keys, { encoding: 'base64' }).send()
    expect(value.map((each) => each?.lamports ?? null)).toEqual([null, SOL])
    const tooMany = rpc.getMultipleAccounts(Array.from({ length: 101 }, () => first.address)).send()
    await expect(tooMany).rejects.toThrow('Too many inputs provided; max 100')
  })
})

describe('tokens', () => {
  test('a real mint address serves, and its accounts are found by owner', async () => {
    const wallet = await devnet.keypair('tokens: owner')
    const usdc = devnet.actions.mints.place(USDC, { decimals: 6 })
    await devnet.actions.tokens.mint(usdc, wallet.address, 1_234_567n)
    const other = await devnet.actions.mints.create(await devnet.keypair('tokens: mint'), { decimals: 0 })
    await devnet.actions.tokens.mint(other, wallet.address, 1n)

    const held = await tokensOf(wallet.address, { programId: TOKEN_PROGRAM_ADDRESS })
    expect(new Map(held.map(({ mint, amount }) => [mint, amount]))).toEqual(
      new Map([
        [USDC, 1_234_567n],
        [other.mint, 1n],
      ]),
    )
    expect((await tokensOf(wallet.address, { mint: USDC })).map(({ account }) => account)).toEqual([
      await devnet.actions.tokens.accountOf(usdc, wallet.address),
    ])
    const supply = await rpc.getTokenSupply(USDC).send()
    expect(supply.value).toMatchObject({ amount: '1234567', decimals: 6, uiAmountString: '1.234567' })
  })

  test('Token-2022 keeps its fee and finds its longer accounts', async () => {
    const [from, to] = await Promise.all([devnet.keypair('tokens: payer'), devnet.keypair('tokens: payee')])
    await devnet.actions.sol.give(from.address, SOL)
    const extensions = [mintExtensions.transferFee({ basisPoints: 250, maximumFee: 1_000n })]
    const token = await devnet.actions.mints.create(await devnet.keypair('tokens: fee'), { decimals: 2, extensions })
    await devnet.actions.tokens.mint(token, from.address, 10_000n)
    await devnet.actions.tokens.transfer(token, from, to.address, 4_000n)

    const [account] = await tokensOf(to.address, { programId: TOKEN_2022_PROGRAM_ADDRESS })
    // 2.5 % of 4000 stay behind.
    expect(account?.amount).toBe(3_900n)
    expect(account?.extensions).toMatchObject({
      value: expect.arrayContaining([{ __kind: 'TransferFeeAmount', withheldAmount: 100n }]),
    })
  })

  test.each([
    ['interest', mintExtensions.interest({ basisPoints: 500 }), 'InterestBearingConfig'],
    ['a factor', mintExtensions.scaled({ multiplier: 1.5 }), 'ScaledUiAmountConfig'],
    [
      'metadata',
      mintExtensions.metadata({ name: 'Long Name', symbol: 'LONG', uri: 'https://example.org/l' }),
      'TokenMetadata',
    ],
  ])('Token-2022 mints with %s are made by the real program, and can be placed', async (kind, extension, expected) => {
    const options = { decimals: 6, extensions: [extension] }
    const made = await devnet.actions.mints.create(await devnet.keypair(`made: ${kind}`), options)
    const placed = devnet.actions.mints.place(await keyOf(`placed: ${kind}`), options)
    const owner = await devnet.keypair(`owner: ${kind}`)
    for (const token of [made, placed]) {
      await devnet.actions.tokens.mint(token, owner.address, 7n)
      const mint = getMintDecoder().decode(await dataOf(token.mint))
      expect(mint).toMatchObject({ supply: 7n, decimals: 6 })
      expect(mint.extensions).toMatchObject({
        value: expect.arrayContaining([expect.objectContaining({ __kind: expected })]),
      })
    }
  })

  test('wrapped SOL is worth its lamports and comes back', async () => {
    const wallet = await walletWith('tokens: wrapper', 2n * SOL)
    const { wrappedSol, tokens } = devnet.actions
    await wrappedSol.wrap(wallet, SOL)
    const wrapped = await tokensOf(wallet.address, { mint: wrappedSol.token.mint })
    expect(wrapped.map(({ amount }) => amount)).toEqual([SOL])
    await tokens.close(wrappedSol.token, wallet)
    expect(await balanceOf(wallet.address)).toBe(2n * SOL - 10_000n)
  })

  test('approve, burn and freeze leave what they say in the account', async () => {
    const wallet = await walletWith('tokens: delegating', SOL)
    const { mints, tokens } = devnet.actions
    const token = await mints.create(await devnet.keypair('tokens: delegated'), { decimals: 3 })
    await tokens.mint(token, wallet.address, 500n)
    await tokens.approve(token, wallet, devnet.payer.address, 70n)
    await tokens.burn(token, wallet, 200n)
    await tokens.freeze(token, wallet.address)
    const account = await tokens.accountOf(token, wallet.address)
    expect(getTokenDecoder().decode(await dataOf(account))).toMatchObject({
      amount: 300n,
      delegatedAmount: 70n,
      delegate: { value: devnet.payer.address },
      state: 2,
    })
    await expect(tokens.transfer(token, wallet, devnet.payer.address, 1n)).rejects.toThrow(/frozen/)
    await tokens.thaw(token, wallet.address)
    await tokens.transfer(token, wallet, devnet.payer.address, 300n)
    await tokens.revoke(token, wallet)
    await tokens.close(token, wallet)
    expect(devnet.chain.account(account)).toBeNull()
  })
})

const post = (body: unknown): Promise<Response> =>
  fetch(devnet.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('further accounts', () => {
  test('an owner may have several for one token', async () => {
    const { mints, tokens, sol } = devnet.actions
    const wallet = await devnet.keypair('further: owner')
    await sol.give(wallet.address, SOL)
    const token = await mints.create(await devnet.keypair('further: mint'), { decimals: 0 })
    const second = await devnet.keypair('further: account')
    await tokens.openAnother(token, wallet, second)
    await tokens.mint(token, wallet.address, 9n)
    const held = await tokensOf(wallet.address, { mint: token.mint })
    const amounts = new Map(held.map(({ account, amount }) => [account, amount]))
    expect(amounts).toEqual(
      new Map([
        [second.address, 0n],
        [await tokens.accountOf(token, wallet.address), 9n],
      ]),
    )
  })

  test('metadata stands where wallets look for it', async () => {
    const account = await devnet.actions.placeMetadata(USDC, { name: 'USD Coin', symbol: 'USDC', uri: '' })
    // The address that USDC's metadata has on mainnet.
    expect(account).toBe('5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq')
    const data = await dataOf(account)
    expect(data).toHaveLength(679)
    expect(data.subarray(69, 77).toString()).toBe('USD Coin')
    expect(data.subarray(105, 109).toString()).toBe('USDC')
  })
})

describe('program accounts', () => {
  test('filters narrow, and a program may be refused', async () => {
    const { mints, tokens } = devnet.actions
    const wallet = await devnet.keypair('filters: owner')
    const token = await mints.create(await devnet.keypair('filters: mint'), { decimals: 1 })
    await tokens.mint(token, wallet.address, 5n)
    await tokens.mint(token, devnet.payer.address, 6n)
    const byMint = { memcmp: { offset: 0n, bytes: token.mint as never, encoding: 'base58' as const } }
    const filters = [{ dataSize: 165n }, byMint]
    const all = await rpc.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send()
    expect(all.map(({ account }) => getTokenDecoder().decode(bytesOf(account.data)).amount).sort()).toEqual([5n, 6n])
    const amount = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]).toString('base64')
    const byAmount = { memcmp: { offset: 64n, bytes: amount as never, encoding: 'base64' as const } }
    const narrowed = await rpc
      .getProgramAccounts(TOKEN_PROGRAM_ADDRESS, {
        encoding: 'base64',
        filters: [...filters, byAmount],
        withContext: true,
      })
      .send()
    expect(narrowed.context.slot).toBe(devnet.chain.slot())
    expect(narrowed.value).toHaveLength(1)
    const tooMany = [...filters, byMint, byMint, byMint]
    await expect(
      rpc.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'base64', filters: tooMany }).send(),
    ).rejects.toThrow('Too many filters provided; max 4')
  })

  test('a node that keeps no index for a program refuses to list its accounts', async () => {
    const refusing = await startSolanaDevnet({ refuseProgramAccounts: [TOKEN_PROGRAM_ADDRESS] })
    try {
      const at = createSolanaRpc(refusing.url)
      const refused = at.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'base64' }).send()
      await expect(refused).rejects.toSatisfy((error) => isSolanaError(error) && error.context.__code === -32010)
      // The wrapped SOL of Token-2022.
      expect(await at.getProgramAccounts(TOKEN_2022_PROGRAM_ADDRESS, { encoding: 'base64' }).send()).toHaveLength(1)
    } finally {
      await refusing.stop()
    }
  })
})

test('a node may take fewer accounts at once, and list those of no program at all', async () => {
  const small = await startSolanaDevnet({ refuseProgramAccounts: 'all', maxMultipleAccounts: 2 })
  try {
    const at = createSolanaRpc(small.url)
    const key = small.payer.address
    expect((await at.getMultipleAccounts([key, key]).send()).value).toHaveLength(2)
    await expect(at.getMultipleAccounts([key, key, key]).send()).rejects.toThrow('max 2')
    const refused = at.getProgramAccounts(key, { encoding: 'base64' }).send()
    await expect(refused).rejects.toSatisfy((error) => isSolanaError(error) && error.context.__code === -32010)
  } finally {
    await small.stop()
  }
})

describe('the protocol', () => {
  test('a batch is answered call by call, refusals among them', async () => {
    const calls = [
      { jsonrpc: '2.0', id: 1, method: 'getHealth' },
      { jsonrpc: '2.0', id: 2, method: 'getBalance', params: ['no address'] },
      { jsonrpc: '2.0', id: 'three', method: 'getNothing' },
      { id: 4, method: 'getHealth' },
    ]
    expect(await (await post(calls)).json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'ok' },
      { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Invalid param: Invalid' } },
      { jsonrpc: '2.0', id: 'three', error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 4, error: { code: -32600, message: 'Invalid request' } },
    ])
  })

  test('what is not JSON, too long or of another kind is refused', async () => {
    expect(await (await post('{')).json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'Parse error' },
    })
    expect((await post(`[${' '.repeat(51_200)}]`)).status).toBe(413)
    expect((await fetch(devnet.url)).status).toBe(405)
    expect((await fetch(devnet.url, { method: 'POST', body: '{}' })).status).toBe(415)
    expect(await (await fetch(`${devnet.url}/health`)).text()).toBe('ok')
  })

  test('a call for a later state than there is yet is refused, with the slot that there is', async () => {
    const slot = devnet.chain.slot()
    const config = { minContextSlot: slot + 1n }
    const key = devnet.payer.address
    const token = { programId: TOKEN_PROGRAM_ADDRESS }
    const calls = [
      rpc.getBalance(key, config).send(),
      rpc.getAccountInfo(key, { encoding: 'base64', ...config }).send(),
      rpc.getMultipleAccounts([key], { encoding: 'base64', ...config }).send(),
      rpc.getProgramAccounts(key, { encoding: 'base64', ...config }).send(),
      rpc.getTokenAccountsByOwner(key, token, { encoding: 'base64', ...config }).send(),
      rpc.getSlot(config).send(),
      rpc.getEpochInfo(config).send(),
      rpc.getLatestBlockhash(config).send(),
      rpc.getSignaturesForAddress(key, config).send(),
    ]
    for (const call of calls)
      await expect(call).rejects.toSatisfy(
        (error) =>
          isSolanaError(error) &&
          error.context.__code === -32016 &&
          'contextSlot' in error.context &&
          error.context.contextSlot === slot,
      )
    expect(await rpc.getSlot({ minContextSlot: slot }).send()).toBe(slot)
  })
})

describe('slots and time', () => {
  test('each transaction has a slot of its own, 0.4 seconds after the one before', async () => {
    const before = devnet.chain.slot()
    const landed = await devnet.actions.sol.give(devnet.payer.address, lamports(1n))
    expect(landed.slot).toBe(before + 1n)
    devnet.chain.moveTo(landed.slot + 5n)
    const times = [await rpc.getBlockTime(landed.slot).send(), await rpc.getBlockTime(landed.slot + 5n).send()] as const
    expect(times[1] - times[0]).toBe(2n)
    await expect(rpc.getBlockTime(landed.slot + 6n).send()).rejects.toThrow(/Block not available/)
  })

  test('the clock account, epoch and slot agree after a warp and a set time', async () => {
    const epoch = devnet.chain.epoch() + 1n
    devnet.chain.moveToEpoch(epoch)
    const started = devnet.chain.time()
    devnet.chain.setTime(1_800_000_000n)
    const data = await dataOf(address('SysvarC1ock11111111111111111111111111111111'))
    const clock = [0, 8, 16, 24, 32].map((offset) => data.readBigInt64LE(offset))
    expect(clock).toEqual([epoch * 432_000n + 1n, started, epoch, epoch + 1n, 1_800_000_000n])
    expect(await rpc.getEpochInfo().send()).toMatchObject({
      epoch,
      slotIndex: 1n,
      absoluteSlot: epoch * 432_000n + 1n,
    })
    expect(() => devnet.chain.setTime(1_700_000_000n)).toThrow(/before the present/)
  })

  test('empty slots pass with the real time, when wanted', async () => {
    const start = { unixTime: BigInt(Math.floor(Date.now() / 1000)) - 100n }
    const running = await startSolanaDevnet(start)
    try {
      const first = running.chain.slot()
      running.keepTime(1)
      await vi.waitFor(() => expect(running.chain.slot()).toBeGreaterThanOrEqual(first + 250n))
      expect(running.chain.time() - start.unixTime).toBeGreaterThanOrEqual(100n)
    } finally {
      await running.stop()
    }
  })
})
