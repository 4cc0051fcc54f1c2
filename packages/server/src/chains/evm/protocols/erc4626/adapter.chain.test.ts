import { addresses } from '@coffer/devnet'
import { type Address, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench, throwLeftOut } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { bindProtocol, protocolRows } from '../protocols.ts'

const { tokens, local } = addresses.ethereum
const vault = evmAddress(local.vault)
/** Answers every call with 2^96: an `asset`, and an enormous supply and rate. */
const BOASTER = '0x6c0100000000000000000000000060005260206000f3'

const rows = protocolRows.filter(({ family, chain }) => family === 'erc4626' && chain === 'ethereum')
const bench = await protocolBench(rows)
const { at } = contractOf(bench.chain, vault, 'Vault')

async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const { read } = at(block)
  const assets = await read('convertToAssets', await read('balanceOf', wallet))
  expect(amountsOf(positions.flatMap(({ supplied }) => supplied))).toEqual(expectedAmounts([tokens.usdc, assets]))
  return positions
}

it('recognises a vault that holds what its shares claim, and no token that only says so', async () => {
  const random = seededRandom('erc4626 recognise')
  const boaster = random.address()
  await bench.client.setCode({ address: boaster, bytecode: BOASTER })
  const found = await bench.recognise([vault, evmAddress(boaster), evmAddress(tokens.usdc), evmAddress(tokens.weth)])
  expect(found).toEqual([{ address: vault, role: 'vault', fungible: true, underlyings: [evmAddress(tokens.usdc)] }])
})

it('reads shares as the vault converts them', async () => {
  const [position] = await check(bench.devnet.wallets.demo.address)
  expect(position).toMatchObject({ kind: 'yield', protocol: 'erc4626', pool: vault, receipts: [vault] })
  const random = seededRandom('erc4626')
  const { erc20, vault: actions } = bench.chain.actions
  for (const largest of [parseUnits('1', 6), 10n ** 30n, 10n ** 12n]) {
    const wallet = random.address()
    const amount = largest === 10n ** 30n ? largest : random.amount(10n, largest)
    await erc20.mint(tokens.usdc, wallet, amount)
    await actions.deposit(wallet, amount)
    await actions.earn(random.amount(1n, parseUnits('1000', 6)))
    await check(wallet)
  }
  const single = random.address()
  await erc20.transfer(vault, bench.devnet.wallets.demo.address, single, 1n)
  await check(single)
})

it('takes shares apart by the same rate', async () => {
  await bench.recognise([vault])
  const reader = bench.openReader()
  const { number } = await reader.header()
  const shares = 123_456_789n
  const parts = await bench.decompose('erc4626', vault, shares, reader)
  const converted = await at(number).read('convertToAssets', shares)
  expect(amountsOf(parts)).toEqual(expectedAmounts([tokens.usdc, converted]))
})

it('shows shares of a vault with bad debt as themselves, priced by a market', async () => {
  const { demo } = bench.devnet.wallets
  const row = { family: 'erc4626', key: 'hit', name: 'Hit', chain: 'ethereum', deployment: { vaults: [vault] } }
  const protocol = bindProtocol({ ...row, impaired: [local.vault] })
  const reader = bench.openReader()
  const [protocolContract] = await protocol.adapter.discover({ reader, deployment: protocol.deployment })
  if (!protocolContract) throw new Error('the vault is not there')
  const balanceRaw = await bench.chain.actions.erc20.balanceOf(local.vault, demo.address)
  const found = {
    held: [{ ...protocolContract, balanceRaw }],
    protocolContracts: [protocolContract],
    keys: [],
    leftOut: throwLeftOut,
  }
  const [position, ...others] = await protocol.positions(reader, evmAddress(demo.address), found)
  expect(others).toEqual([])
  expect(position).toMatchObject({ protocol: 'hit', label: 'Impaired', pool: vault, receipts: [vault] })
  expect(amountsOf(position?.supplied)).toEqual({ [vault]: balanceRaw })
  expect(await protocol.decompose(reader, { protocolContract, amountRaw: 7n })).toBeUndefined()
  // A part of a market must stay in its position.
  const aave = protocolRows.find(({ family }) => family === 'aave')
  if (!aave) throw new Error('no row of Aave')
  expect(() => bindProtocol({ ...aave, impaired: [local.vault] })).toThrow('cannot be impaired')
})
