import {
  type Address,
  concat,
  getContractAddress,
  type Hex,
  hashMessage,
  keccak256,
  serializeErc6492Signature,
  slice,
  zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { compileContractWallets, deploy, walletOf } from '../../../test/contract-wallets.ts'
import { startLocalNode } from '../../../test/local-node.ts'
import { started } from '../../../test/started.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createRpcPool } from '../rpc/rpc-pool.ts'
import { isValidContractSignature } from './wallet-signature.ts'

/**
 * The deterministic deployment proxy, at the same address on every chain, anvil included. Salt and creation code
 * determine a contract's address.
 */
const FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const owner = privateKeyToAccount(generatePrivateKey())
const outsider = privateKeyToAccount(generatePrivateKey())
const message = 'Sign this text'
const hash = hashMessage(message)
const code = compileContractWallets()
const codeOf = (name: string) => code[name] ?? '0x'

const node = await started(startLocalNode())
const pool = createRpcPool({ chain: 'ethereum', urls: [node.url] })
const wallet = await deploy(node, walletOf(owner.address, codeOf('Wallet')))

const isValid = (address: Address, signature: Hex, of = hash) =>
  isValidContractSignature(pool, { address, hash: of, signature })

test("only a contract's owner signs for it", async () => {
  expect(await isValid(wallet, await owner.signMessage({ message }))).toBe(true)
  expect(await isValid(wallet, await outsider.signMessage({ message }))).toBe(false)
  expect(await isValid(wallet, await owner.signMessage({ message }), hashMessage('another'))).toBe(false)
  expect(await isValid(wallet, '0x12')).toBe(false)
  expect(await isValid(owner.address, await owner.signMessage({ message }))).toBe(false)
})

test('what answers anything but the agreed word does not agree', async () => {
  const names = Object.keys(code).filter((name) => !['Wallet', 'Agrees'].includes(name))
  expect(names).toHaveLength(8)
  for (const name of names) {
    const contract = await deploy(node, codeOf(name))
    expect([name, await isValid(contract, '0x00')]).toEqual([name, false])
  }
})

describe('a wallet that is yet to be made (ERC-6492)', () => {
  const creation = walletOf(owner.address, codeOf('Wallet'))
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: FACTORY,
    salt: zeroHash,
    bytecodeHash: keccak256(creation),
  }).toLowerCase() as Address
  const wrapped = (signature: Hex, data: Hex = concat([zeroHash, creation])) =>
    serializeErc6492Signature({ address: FACTORY, data, signature })

  test("is its owner's, and nothing is made by asking", async () => {
    expect(await isValid(address, wrapped(await owner.signMessage({ message })))).toBe(true)
    expect(await isValid(address, wrapped(await outsider.signMessage({ message })))).toBe(false)
    expect(await isValid(address, await owner.signMessage({ message }))).toBe(false)
    expect(await node.send('eth_getCode', address, 'latest')).toBe('0x')
  })

  test('cannot be had by making another one', async () => {
    const another = concat([zeroHash, walletOf(outsider.address, codeOf('Wallet'))])
    expect(await isValid(address, wrapped(await outsider.signMessage({ message }), another))).toBe(false)
    expect(await isValid(wallet, wrapped(await outsider.signMessage({ message }), another))).toBe(false)
    expect(await isValid(owner.address, wrapped(await outsider.signMessage({ message }), another))).toBe(false)
  })

  test('and one whose wrapping is broken is no signature', async () => {
    const signature = wrapped(await owner.signMessage({ message }))
    const broken = concat([slice(signature, 0, 40), `0x${'6492'.repeat(16)}`])
    expect(await isValid(address, broken)).toBe(false)
  })
})

test('without a node the signature cannot be checked', async () => {
  const nowhere = createRpcPool({ chain: 'ethereum', urls: ['http://127.0.0.1:1'], limits: { backoffMs: 1 } })
  await expect(isValidContractSignature(nowhere, { address: wallet, hash, signature: '0x12' })).rejects.toThrow(
    UpstreamError,
  )
})
