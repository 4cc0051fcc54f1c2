import { type Address, getContractAddress, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { compileContractWallets, deploy, walletOf } from '../contract-wallets.ts'
import { testDatabase } from '../database.ts'
import { accountWith } from '../ledger/accounts.ts'
import { startLocalNode } from '../local-node.ts'
import { operator } from '../operator.ts'
import { started } from '../started.ts'

const owner = privateKeyToAccount(generatePrivateKey())

const database = await testDatabase('owner_authorization')
const node = await started(startLocalNode())
const account = await accountWith(database.db, 0)
const wallet = await deploy(node, walletOf(owner.address, compileContractWallets()['Wallet']))
await node.send('anvil_setChainId', 8453)
const env = {
  DATABASE_URL: database.url,
  COFFER_CHAINS: 'ethereum,base',
  COFFER_RPC_ETHEREUM: 'http://127.0.0.1:1',
  COFFER_RPC_BASE: node.url,
}
afterAll(async () => database.drop())

const admin = (verb: string, address: Address, ...args: string[]) =>
  operator(env).run(['address', verb, '--account', account, '--address', address, ...args])

async function challenged(address: Address): Promise<Hex> {
  const entry = `insert into address_book_entry (account_id, address, label) values ($1, $2, '')`
  await database.pool.query(entry, [account, address])
  const { text } = JSON.parse((await admin('challenge', address)).stdout)
  return owner.signMessage({ message: text })
}

test('the owner of a contract wallet authorises its entry on the chain where it is', async () => {
  const signature = await challenged(wallet)
  const { code, stdout } = await admin('verify', wallet, '--signature', signature)
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, ownerAuthorized: true, verifiedOn: 'base' })
})

test('where no contract agrees and a chain could not be asked, that is said', async () => {
  const nothing = getContractAddress({ from: wallet, nonce: 1n }).toLowerCase() as Address
  const signature = await challenged(nothing)
  expect(await admin('verify', nothing, '--signature', signature)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'The key of this address did not sign the open challenge with this signature, and no node could check it with a contract on ethereum.\n',
  })
})
