import {
  type Address,
  address,
  appendTransactionMessageInstruction,
  devnet as asDevnet,
  type Base64EncodedWireTransaction,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { describe, expect, test } from 'vitest'
import { SOL, startCluster } from '../../test/solana-cluster.ts'

/** A signature that no transaction has. */
const NO_SIGNATURE = '1'.repeat(64) as Signature

const { devnet, rpc, keyOf, walletWith, balanceOf, signaturesOf } = await startCluster()
const funded = (name: string) => walletWith(name, 10n * SOL)

const transactionOf = async (signature: string) => {
  const config = { encoding: 'json', maxSupportedTransactionVersion: 0 } as const
  const found = await rpc.getTransaction(signature as Signature, config).send()
  if (!found?.meta) throw new Error(`no transaction ${signature}`)
  return { ...found, meta: found.meta }
}

describe('signatures of an address', () => {
  test('come newest first, and page by page they are all there once', async () => {
    const wallet = await funded('paging')
    const to = await keyOf('paging: to')
    const sent: string[] = []
    for (let index = 1n; index <= 7n; index += 1n)
      sent.push((await devnet.actions.sol.transfer(wallet, to, SOL / 100n + index)).signature)

    expect(await signaturesOf(to)).toEqual(sent.toReversed())
    const listed: string[] = []
    for (;;) {
      const before = listed.at(-1) as Signature | undefined
      const page = await rpc.getSignaturesForAddress(to, { limit: 3, ...(before && { before }) }).send()
      if (page.length === 0) break
      listed.push(...page.map(({ signature }) => signature))
    }
    expect(listed).toEqual(sent.toReversed())
  })

  test('stop at `until`, which may be unknown; nothing is before one that is unknown', async () => {
    const wallet = await funded('until')
    const to = await keyOf('until: to')
    const signatures: Signature[] = []
    for (const amount of [SOL, 2n * SOL, 3n * SOL])
      signatures.push((await devnet.actions.sol.transfer(wallet, to, amount)).signature as Signature)
    const [first, second, third] = signatures as [Signature, Signature, Signature]
    const list = async (config: { before?: Signature; until?: Signature }) =>
      (await rpc.getSignaturesForAddress(to, config).send()).map(({ signature }) => signature)
    expect(await list({ until: first })).toEqual([third, second])
    expect(await list({ before: third, until: first })).toEqual([second])
    expect(await list({ until: NO_SIGNATURE })).toEqual([third, second, first])
    expect(await list({ before: NO_SIGNATURE })).toEqual([])
    await expect(rpc.getSignaturesForAddress(to, { limit: 1001 }).send()).rejects.toThrow(/Invalid limit/)
  })

  test('say slot, time, memo and error', async () => {
    const wallet = await funded('fields')
    const transfer = { source: wallet, destination: devnet.payer.address, amount: SOL }
    const noted = await devnet.send([getTransferSolInstruction(transfer)], { feePayer: wallet, memo: 'für dich' })
    const failed = await devnet.actions.sol.transfer(wallet, devnet.payer.address, 100n * SOL, { mayFail: true })
    const [newest, older] = await rpc.getSignaturesForAddress(wallet.address).send()
    expect(newest).toEqual({
      signature: failed.signature,
      slot: failed.slot,
      err: { InstructionError: [0n, { Custom: 1n }] },
      memo: null,
      blockTime: await rpc.getBlockTime(failed.slot).send(),
      confirmationStatus: 'finalized',
    })
    expect(older).toMatchObject({ signature: noted.signature, err: null, memo: '[9] für dich' })
  })

  test('lack transfers to an account that the address has already', async () => {
    const { mints, tokens } = devnet.actions
    const wallet = await funded('receiving')
    const giver = await funded('receiving: giver')
    const token = await mints.create(await devnet.keypair('receiving: mint'), { decimals: 2 })
    await tokens.mint(token, giver.address, 100n)
    const opened = await tokens.open(token, wallet)
    const { signature } = await tokens.transfer(token, giver, wallet.address, 30n)
    expect((await signaturesOf(wallet.address))[0]).toBe(opened.signature)
    expect((await signaturesOf(await tokens.accountOf(token, wallet.address)))[0]).toBe(signature)
  })

  test('name the transactions that reached the address through a lookup table', async () => {
    const wallet = await funded('tables')
    const [table, to] = [await keyOf('tables: table'), await keyOf('tables: to')]
    devnet.actions.placeLookupTable(table, [devnet.payer.address, to])
    const lookupTables = { [table]: [devnet.payer.address, to] }
    const { signature } = await devnet.actions.sol.transfer(wallet, to, SOL, { lookupTables })
    expect(await signaturesOf(to)).toEqual([signature])
    const { meta, transaction } = await transactionOf(signature)
    expect(transaction.message.accountKeys).not.toContain(to)
    expect(meta.loadedAddresses).toEqual({ writable: [to], readonly: [] })
    expect(meta.postBalances.at(transaction.message.accountKeys.length)).toBe(SOL)
  })
})

describe('a transaction', () => {
  test('says what each of its accounts had before and after, and what it cost', async () => {
    const wallet = await funded('meta')
    const to = await keyOf('meta: to')
    const before = await balanceOf(wallet.address)
    const priority = { units: 30_001, microLamports: 100_000n }
    const { signature } = await devnet.actions.sol.transfer(wallet, to, SOL, { priority })
    const { meta, transaction, slot, blockTime } = await transactionOf(signature)
    // 5000 for the signature and 30001 × 0.1 lamports, rounded up.
    expect(meta.fee).toBe(5000n + 3001n)
    const keys = transaction.message.accountKeys
    const change = (key: Address) => {
      const index = keys.indexOf(key)
      return (meta.postBalances[index] ?? 0n) - (meta.preBalances[index] ?? 0n)
    }
    expect(change(to)).toBe(SOL)
    expect(change(wallet.address)).toBe(-SOL - 8001n)
    expect(meta.preBalances[0]).toBe(before)
    expect(await balanceOf(wallet.address)).toBe(meta.postBalances[0])
    expect(meta.err).toBeNull()
    expect(meta.computeUnitsConsumed).toBeGreaterThan(0n)
    expect(meta.logMessages).toContain('Program 11111111111111111111111111111111 success')
    expect(slot).toBe(devnet.chain.slot())
    expect(blockTime).toBe(devnet.chain.time())
  })

  test('says what tokens its accounts held, and what programs called', async () => {
    const { mints, tokens } = devnet.actions
    const wallet = await funded('token meta')
    const to = await keyOf('token meta: to')
    const token = await mints.create(await devnet.keypair('token meta: mint'), { decimals: 6 })
    await tokens.mint(token, wallet.address, 5_000_000n)
    const { signature } = await tokens.transfer(token, wallet, to, 1_250_000n)
    const { meta, transaction } = await transactionOf(signature)
    const keys = transaction.message.accountKeys
    const source = await tokens.accountOf(token, wallet.address)
    const target = await tokens.accountOf(token, to)
    const amount = (written: string, shown: number, text: string) => ({
      amount: written,
      decimals: 6,
      uiAmount: shown,
      uiAmountString: text,
    })
    const common = { mint: token.mint, programId: TOKEN_PROGRAM_ADDRESS }
    const ofSource = { ...common, accountIndex: keys.indexOf(source), owner: wallet.address }
    const ofTarget = { ...common, accountIndex: keys.indexOf(target), owner: to }
    expect(meta.preTokenBalances).toEqual([{ ...ofSource, uiTokenAmount: amount('5000000', 5, '5') }])
    expect(meta.postTokenBalances).toHaveLength(2)
    expect(meta.postTokenBalances).toEqual(
      expect.arrayContaining([
        { ...ofSource, uiTokenAmount: amount('3750000', 3.75, '3.75') },
        { ...ofTarget, uiTokenAmount: amount('1250000', 1.25, '1.25') },
      ]),
    )
    // The account was opened: what it has to hold came from the wallet, by calls of the associated token program.
    expect(meta.postBalances[keys.indexOf(target)]).toBe(2_039_280n)
    expect(meta.postBalances[0]).toBe((meta.preBalances[0] ?? 0n) - 2_039_280n - 5000n)
    const programs = meta.innerInstructions?.flatMap(({ instructions }) =>
      instructions.map((each) => keys[each.programIdIndex]),
    )
    expect(meta.innerInstructions?.map(({ index }) => index)).toEqual([0])
    expect(programs).toContain(TOKEN_PROGRAM_ADDRESS)
    expect(programs).toContain('11111111111111111111111111111111')
  })

  test('that failed is kept with its error, and moved nothing but its fee', async () => {
    const wallet = await funded('failing')
    const { signature } = await devnet.actions.sol.transfer(wallet, devnet.payer.address, 100n * SOL, { mayFail: true })
    const { meta } = await transactionOf(signature)
    expect(meta.err).toEqual({ InstructionError: [0n, { Custom: 1n }] })
    expect(meta.fee).toBe(5000n)
    expect(meta.postBalances[0]).toBe(10n * SOL - 5000n)
    expect(meta.postBalances.slice(1)).toEqual(meta.preBalances.slice(1))
    const statuses = await rpc.getSignatureStatuses([signature as Signature, NO_SIGNATURE]).send()
    expect(statuses.value).toMatchObject([
      { err: { InstructionError: [0n, { Custom: 1n }] }, confirmationStatus: 'finalized' },
      null,
    ])
  })

  test('is the same in base64, and tells its version to those that ask', async () => {
    const wallet = await funded('versions')
    const old = await devnet.actions.sol.transfer(wallet, devnet.payer.address, SOL, { isLegacy: true })
    const recent = await devnet.actions.sol.transfer(wallet, devnet.payer.address, SOL)
    const get = (signature: string, config: object) =>
      rpc
        .getTransaction(
          signature as Signature,
          { encoding: 'base64', ...config } as { encoding: 'base64'; maxSupportedTransactionVersion: 0 },
        )
        .send()
    const encoded = await get(recent.signature, { maxSupportedTransactionVersion: 0 })
    expect(encoded?.version).toBe(0)
    const { messageBytes, signatures } = getTransactionDecoder().decode(
      Buffer.from(encoded?.transaction[0] ?? '', 'base64'),
    )
    expect(Object.keys(signatures)).toEqual([wallet.address])
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    const json = await transactionOf(recent.signature)
    expect(json.transaction.message.recentBlockhash).toBe(message.lifetimeToken)
    expect(json.transaction.message.header).toEqual({
      numRequiredSignatures: 1,
      numReadonlySignedAccounts: 0,
      numReadonlyUnsignedAccounts: 1,
    })
    await expect(get(recent.signature, {})).rejects.toThrow(/version/i)
    expect(await get(old.signature, {})).not.toHaveProperty('version')
    expect((await get(old.signature, { maxSupportedTransactionVersion: 0 }))?.version).toBe('legacy')
    expect(await get(NO_SIGNATURE, {})).toBeNull()
  })
})

const signed = async (from: KeyPairSigner, to: Address, amount: bigint) => {
  const { value } = await rpc.getLatestBlockhash().send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(from, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(value, paid),
    (living) =>
      appendTransactionMessageInstruction(getTransferSolInstruction({ source: from, destination: to, amount }), living),
  )
  return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
}

const send = (wire: Base64EncodedWireTransaction, skipPreflight = false) =>
  rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight }).send()

const withCode = (code: number) => (error: unknown) =>
  error instanceof Error && 'context' in error && (error.context as { __code: number }).__code === code

describe('sending', () => {
  test('runs a transaction once', async () => {
    const wallet = await funded('sending')
    const wire = await signed(wallet, devnet.payer.address, SOL)
    const signature = await send(wire)
    expect((await transactionOf(signature)).meta.err).toBeNull()
    await expect(send(wire)).rejects.toSatisfy(withCode(-32002))
    expect(await send(wire, true)).toBe(signature)
    expect(await balanceOf(wallet.address)).toBe(9n * SOL - 5000n)
  })

  test('refuses what would fail, unless told not to look', async () => {
    const wallet = await funded('refusing')
    const wire = await signed(wallet, devnet.payer.address, 11n * SOL)
    await expect(send(wire)).rejects.toSatisfy(withCode(-32002))
    expect(await signaturesOf(wallet.address)).toHaveLength(1)
    const signature = await send(wire, true)
    expect((await transactionOf(signature)).meta.err).toEqual({ InstructionError: [0n, { Custom: 1n }] })
  })

  test('refuses old block hashes and foreign signatures', async () => {
    const wallet = await funded('aging')
    const wire = await signed(wallet, devnet.payer.address, SOL)
    devnet.chain.moveTo(devnet.chain.slot() + 151n)
    await expect(send(wire)).rejects.toThrow(/Blockhash not found|simulation/i)
    const bytes = Buffer.from(await signed(wallet, devnet.payer.address, SOL), 'base64')
    bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10)
    const forged = bytes.toString('base64') as Base64EncodedWireTransaction
    await expect(send(forged)).rejects.toSatisfy(withCode(-32003))
  })

  test('tries without keeping', async () => {
    const wallet = await funded('trying')
    const to = await keyOf('trying: to')
    const wire = await signed(wallet, to, SOL)
    const accounts = { addresses: [to], encoding: 'base64' } as const
    const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64', accounts }).send()
    expect(value).toMatchObject({ err: null, accounts: [{ lamports: SOL }] })
    expect(await balanceOf(to)).toBe(0n)
  })

  test('airdrops are transactions too', async () => {
    const to = address('Vote111111111111111111111111111111111111113')
    const signature = await createSolanaRpc(asDevnet(devnet.url))
      .requestAirdrop(to, lamports(2n * SOL))
      .send()
    expect(await signaturesOf(to)).toEqual([signature])
    expect(await balanceOf(to)).toBe(2n * SOL)
  })
})
