import { devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, erc20Abi, parseEther, parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { type EvmAddress, evmAddress } from '../../src/domain/evm-address.ts'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { balanceSlot, placeContracts, testAddress, word } from '../test-tokens.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const DEPOSIT = '0xd0e30db0'
const random = seededRandom('silent tokens')
const clock = testClock()
/** A listed token whose balances change without a log. */
const mute = testAddress(12, 1)

const devnet = await started(startDevnet({ state: inject('devnetState') }))
await placeContracts(nodeAt(devnet.chains.ethereum.url), [{ address: mute, code: 'token' }])
const { tokens, protocols } = devnetConfig()
const listed = { chain: 'ethereum', address: mute, symbol: 'MUTE', name: 'Mute', decimals: 18 }
const service = await started(
  startService({
    endpoints: { ethereum: [devnet.chains.ethereum.url] },
    config: { tokens: [...tokens, listed], protocols },
    clock,
  }),
)

/** Balances of a wallet in the answer, and those of the chain at the answer's block. */
async function read(wallet: Address, held: readonly EvmAddress[]) {
  clock.advance(NOT_FRESH_MS)
  const portfolio = await readPortfolio(service, wallet)
  const blockNumber = BigInt(portfolio?.asOf['ethereum']?.block ?? 0)
  const assets = portfolio?.assetByProtocols['wallet']?.assets ?? []
  const { client, addresses } = devnet.chains.ethereum
  const of = { abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber } as const
  const balances = await Promise.all(held.map((address) => client.readContract({ address, ...of })))
  const decimalsOf = (token: EvmAddress) => (token === evmAddress(addresses.tokens.usdc) ? 6 : 18)
  const shown = held.map((token) => {
    const asset = assets.find(({ contract }) => contract === token)
    return parseUnits(asset?.balance ?? '0', decimalsOf(token))
  })
  return { shown, balances }
}

test('each read shows what the chain says, whether balances changed with a log or without', async () => {
  const { actions, addresses, client, send, url } = devnet.chains.ethereum
  const { tokens } = addresses
  const held = [mute, ...[tokens.usdc, tokens.dai, tokens.uni, tokens.weth].map(evmAddress)]
  const wallet = random.address()
  await actions.native.give(wallet, parseEther('10'))
  const setMute = () =>
    nodeAt(url).sendAll([
      ['anvil_setStorageAt', mute, balanceSlot(evmAddress(wallet)), word(random.amount(0n, parseEther('5')))],
      ['anvil_mine', '0x1'],
    ])
  const steps: readonly (() => Promise<unknown>)[] = [
    () =>
      actions.erc20.mint(
        random.pick([tokens.usdc, tokens.dai, tokens.uni]),
        wallet,
        random.amount(1n, parseUnits('1000', 6)),
      ),
    () => send({ from: wallet, to: tokens.weth, data: DEPOSIT, value: random.amount(1n, parseEther('0.1')) }),
    () => client.mine({ blocks: 1 + random.index(80) }),
  ]
  for (let step = 0; step < sized({ small: 10, deep: 200 }); step += 1) {
    await setMute()
    for (let left = random.index(3); left >= 0; left -= 1) await random.pick(steps)()
    const { shown, balances } = await read(wallet, held)
    expect(shown, `step ${step}`).toEqual(balances)
  }
})
