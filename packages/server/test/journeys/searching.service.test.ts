import type { IncompleteItem, Portfolio } from '@coffer/contract'
import { devnetConfig, eulerAccount, eulerVaults, startDevnet } from '@coffer/devnet'
import { buildDemoWallet, startSolanaDevnet } from '@coffer/devnet/solana'
import { parseAbi, parseUnits } from 'viem'
import { afterEach, expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { readTruth } from './chain-truth.ts'
import { shownLines, trueLines } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
/** Longer than an answer counts as complete without a search. */
const NOT_SEARCHED_MS = 61 * 60_000
/** Longer than the pause of a refused method. */
const LATER_MS = 7 * 3_600_000
const SEARCHES = new Set(['eth_getLogs', 'getSignaturesForAddress'])
/** Duration of the demonstration wallet's stakes, and a little. */
const DAYS_BACK = 5n * 86_400n

const random = seededRandom('searching')
const clock = testClock()
const config = devnetConfig()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const solana = await started(startSolanaDevnet({ unixTime: BigInt(Math.floor(Date.now() / 1000)) - DAYS_BACK }))
const demo = await buildDemoWallet(solana)
const evmNode = await started(startRpcProxy(devnet.chains.ethereum.url))
const solanaNode = await started(startRpcProxy(solana.url))
const service = await started(
  startService({ config, endpoints: { ethereum: [evmNode.url], solana: [solanaNode.url] }, clock }),
)

afterEach(() => {
  evmNode.reset()
  solanaNode.reset()
})

const read = (wallet: string, waitForSync = false): Promise<Portfolio> => readPortfolio(service, wallet, waitForSync)

/** Reported gaps, requested repeatedly without advancing the clock. */
const said = (wallet: string) => expect.poll(async () => (await read(wallet)).incomplete, { interval: 100 })

/** Delays every search until it is released. */
function holdSearches(proxy: RpcProxy): () => void {
  // The rule of a released hold would let them pass.
  proxy.reset()
  const gate = Promise.withResolvers<void>()
  proxy.add({ when: ({ method }) => SEARCHES.has(method), fault: { before: () => gate.promise } })
  return gate.resolve
}

/** Contract calls of the next read of a wallet with known logs, and of the search that it waits for. */
async function callsOfNext(wallet: string): Promise<number> {
  clock.advance(NOT_FRESH_MS)
  await evmNode.answered()
  evmNode.reset()
  expect((await read(wallet, true)).incomplete).toEqual([])
  return evmNode.calls().filter(({ method }) => method === 'eth_call').length
}

const searching = (chain: string): IncompleteItem => ({ chain, reason: 'searching' })

it('says on Ethereum that unlisted tokens are still being searched, until they are shown', async () => {
  const wallet = devnet.wallets.demo.address
  const orphan = devnet.chains.ethereum.addresses.tokens.orphan.toLowerCase()
  const open = holdSearches(evmNode)
  const first = await read(wallet)
  expect(first.incomplete).toEqual([searching('ethereum')])
  expect(shownLines(first, 'ethereum').some((line) => line.includes(orphan))).toBe(false)
  expect((await read(wallet)).incomplete).toEqual([searching('ethereum')])
  open()
  await said(wallet).toEqual([])
  const whole = await read(wallet)
  const truth = await readTruth(devnet, 'ethereum', wallet, BigInt(whole.asOf['ethereum']?.block ?? 0))
  expect(shownLines(whole, 'ethereum')).toEqual(trueLines(truth))
})

it('says of a protocol that it holds more NFTs than logs have named, until they are shown, in one trip from then on', async () => {
  const { actions, addresses } = devnet.chains.ethereum
  const { erc20, uniswapV4 } = actions
  const [wallet, other] = [random.address(), random.address()]
  await erc20.mint(addresses.tokens.usdc, other, parseUnits('1000000', 6))
  await erc20.mint(addresses.tokens.weth, other, parseUnits('100', 18))
  const give = async () => {
    const terms = { liquidity: 10n ** 13n, owner: wallet }
    await uniswapV4.mint(other, addresses.uniswapV4.pools.wrapped, { below: 600, above: 600 }, terms)
  }
  const lacking: IncompleteItem = { chain: 'ethereum', protocol: 'uniswap_v4', reason: 'searching' }
  const expectShown = async (count: number) => {
    await said(wallet).toEqual([])
    const whole = await read(wallet)
    const truth = await readTruth(devnet, 'ethereum', wallet, BigInt(whole.asOf['ethereum']?.block ?? 0))
    expect(shownLines(whole, 'ethereum')).toEqual(trueLines(truth))
    expect(shownLines(whole, 'ethereum').filter((line) => line.startsWith('uniswap_v4')).length).toBe(count)
  }
  await give()
  const open = holdSearches(evmNode)
  const first = await read(wallet)
  expect(first.incomplete).toEqual(expect.arrayContaining([searching('ethereum'), lacking]))
  expect(shownLines(first, 'ethereum').filter((line) => line.startsWith('uniswap_v4'))).toEqual([])
  open()
  await expectShown(1)
  // A token that came since is missing in the first read after it.
  await give()
  clock.advance(NOT_FRESH_MS)
  const again = holdSearches(evmNode)
  await said(wallet).toEqual([lacking])
  again()
  await expectShown(2)
  // A scan waits briefly for new logs, and reads everything if they are late.
  await expect.poll(() => callsOfNext(wallet)).toBeLessThanOrEqual(2)
})

it('shows what lies in a sub-account once the search has led to it, in one trip from then on', async () => {
  const { actions, addresses, client } = devnet.chains.ethereum
  const { erc20, euler } = actions
  const { usdc, weth } = eulerVaults()
  const wallet = random.address()
  const account = eulerAccount(wallet, 42)
  const backing = parseUnits('3', 18)
  await erc20.mint(addresses.tokens.weth, wallet, backing)
  await euler.batch(wallet, [
    [wallet, weth, 'deposit', backing, account],
    [wallet, addresses.euler.evc, 'enableCollateral', account, weth],
    [wallet, addresses.euler.evc, 'enableController', account, usdc],
    [account, usdc, 'borrow', parseUnits('1500', 6), wallet],
  ])
  const open = holdSearches(evmNode)
  expect(shownLines(await read(wallet), 'ethereum').filter((line) => line.startsWith('euler_v2'))).toEqual([])
  open()
  await said(wallet).toEqual([])
  const views = parseAbi([
    'function debtOf(address account) view returns (uint256)',
    'function balanceOf(address account) view returns (uint256)',
    'function convertToAssets(uint256 shares) view returns (uint256)',
  ])
  const expectShown = async () => {
    const whole = await read(wallet)
    const at = { abi: views, blockNumber: BigInt(whole.asOf['ethereum']?.block ?? 0) } as const
    const shares = await client.readContract({ address: weth, ...at, functionName: 'balanceOf', args: [account] })
    const supplied = await client.readContract({
      address: weth,
      ...at,
      functionName: 'convertToAssets',
      args: [shares],
    })
    const owed = await client.readContract({ address: usdc, ...at, functionName: 'debtOf', args: [account] })
    const amounts = [`${addresses.tokens.weth}=${supplied}`, `${addresses.tokens.usdc}=${owed}`]
    const line = `euler_v2 ${addresses.euler.evc} supplied[${amounts[0]}] borrowed[${amounts[1]}] rewards[] `
    expect(shownLines(whole, 'ethereum').filter((one) => one.startsWith('euler_v2'))).toEqual([line.toLowerCase()])
  }
  await expectShown()
  await devnet.chains.ethereum.travel(12)
  await expect.poll(() => callsOfNext(wallet)).toBeLessThanOrEqual(2)
  await expectShown()
})

it('says it on Solana until the programs that the wallet used are known', async () => {
  const open = holdSearches(solanaNode)
  expect((await read(demo.address)).incomplete).toEqual([searching('solana')])
  expect((await read(demo.address)).incomplete).toEqual([searching('solana')])
  open()
  await said(demo.address).toEqual([])
})

it('does not say it of a search that goes over what is new of a wallet that was searched', async () => {
  const wallet = random.address()
  await read(wallet)
  await said(wallet).toEqual([])
  const open = holdSearches(evmNode)
  clock.advance(NOT_FRESH_MS)
  expect((await read(wallet, true)).incomplete).toEqual([])
  open()
})

it('says it again of a wallet that was not searched for more than an hour', async () => {
  const wallet = random.address()
  await read(wallet)
  await said(wallet).toEqual([])
  const open = holdSearches(evmNode)
  // A search without missing blocks ends immediately.
  await devnet.chains.ethereum.travel(12)
  clock.advance(NOT_SEARCHED_MS)
  await said(wallet).toEqual([searching('ethereum')])
  open()
  await said(wallet).toEqual([])
})

it('says that it is not allowed where the node refuses every search, and stops when it no longer does', async () => {
  const wallet = random.address()
  const { actions, addresses } = devnet.chains.ethereum
  await actions.erc20.mint(addresses.tokens.orphan, wallet, parseUnits('3', 18))
  const fault = { error: { code: -32601, message: 'the method eth_getLogs does not exist/is not available' } }
  evmNode.add({ when: ({ method }) => method === 'eth_getLogs', fault })
  expect((await read(wallet)).incomplete).toEqual([searching('ethereum')])
  await said(wallet).toEqual([{ chain: 'ethereum', reason: 'not-allowed' }])
  evmNode.reset()
  clock.advance(LATER_MS)
  await read(wallet, true)
  await said(wallet).toEqual([])
})
