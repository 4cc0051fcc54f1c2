import { type AlgebraGeneration, addresses, algebraActions, deployAlgebra, ownArtifact } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc721Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, weth } = addresses.ethereum.tokens
const GENERATIONS: readonly AlgebraGeneration[] = ['v1', 'v2', 'integral']
const routerAbi = parseAbi(['function open(address manager, address[2] tokens, uint256[2] most, bytes call)'])
const enumerable = parseAbi(['function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)'])
const NONE: Address = '0x0000000000000000000000000000000000000000'

let bench: HistoryBench
let router: Address
const forks = new Map<AlgebraGeneration, ReturnType<typeof algebraActions>>()
const managers = new Map<AlgebraGeneration, Address>()
let nextWallet = 0xa19e_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

const sidesOf = (size: bigint) =>
  [
    { token: usdc, amount: size * parseUnits('3000', 6) },
    { token: weth, amount: size * parseEther('1') },
  ] as const

type Play = { wallet: Address; generation: AlgebraGeneration; fork: ReturnType<typeof algebraActions> }

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    router = await chain.deploy(ownArtifact('NftRouter'))
    const rows: ProtocolRow[] = []
    for (const generation of GENERATIONS) {
      const at = await deployAlgebra(chain, generation, weth)
      forks.set(generation, algebraActions(chain, at, chain.actions.erc20))
      managers.set(generation, at.manager)
      const { factory, manager } = at
      rows.push({
        ...{ family: 'algebra', key: `algebra_${generation}`, name: generation, chain: 'ethereum' },
        deployment: { factory, manager, ...(generation === 'v1' && { generation }) },
      })
    }
    return { rows }
  })
  const provider = newWallet()
  for (const generation of GENERATIONS) {
    const { fork } = await newPlay(generation, 100n, provider)
    await fork.createPool(...sidesOf(1n), provider)
    await fork.mint(provider, ...sidesOf(100n), 'full')
  }
})
afterAll(() => bench?.stop())

/** `size`: WETH of the wallet, with the same worth in USDC. */
async function newPlay(generation: AlgebraGeneration, size: bigint, wallet = newWallet()): Promise<Play> {
  const fork = forks.get(generation)
  if (!fork) throw new Error(`${generation} is not deployed`)
  for (const { token, amount } of sidesOf(size)) await bench.chain.actions.erc20.mint(token, wallet, amount)
  return { wallet, generation, fork }
}

async function trade(generation: AlgebraGeneration): Promise<void> {
  const { wallet, fork } = await newPlay(generation, 1n)
  const [dollars, coin] = sidesOf(1n)
  await fork.swap(wallet, dollars, weth)
  await fork.swap(wallet, coin, usdc)
}

async function liquidityOf({ generation, fork }: Play, id: bigint): Promise<bigint> {
  const address = managers.get(generation) ?? NONE
  const call = { address, abi: fork.abi, functionName: 'positions', args: [id] } as const
  const words = (await bench.client.readContract(call)) as readonly bigint[]
  return words[generation === 'integral' ? 7 : 6] ?? 0n
}

/** Reads the wallet's transactions without approvals. Checks each against the balance changes. */
async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  const found = await bench.readSince(wallet, before)
  return found.filter(({ type }) => type !== 'APPROVAL')
}

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

function nameOf(token: string, tokenId: bigint | null): string {
  if (tokenId !== null) return 'nft'
  return token === evmAddress(usdc) ? 'usdc' : 'weth'
}

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    type,
    protocol,
    ...movements
      .map(({ token, tokenId, amountRaw, leg, treatment }) => {
        return `${leg} ${treatment} ${signOf(amountRaw)}${nameOf(token, tokenId)}`
      })
      .toSorted(),
  ])

const RANGE = { below: 600, above: 600 }

describe.each(GENERATIONS)('%s', (generation) => {
  const protocol = `algebra_${generation}`
  const collected = ['COLLECT', protocol, '0 income +usdc', '0 income +weth']

  it('mints, increases, collects fees, and takes all out with the NFT', async () => {
    const play = await newPlay(generation, 2n)
    const { wallet, fork } = play
    const found = await played(wallet, async () => {
      const id = await fork.mint(wallet, ...sidesOf(1n), RANGE)
      await fork.increase(wallet, id, parseEther('0.1'), parseEther('0.1'))
      await trade(generation)
      await fork.collect(wallet, id)
      await trade(generation)
      await fork.close(wallet, id, await liquidityOf(play, id))
    })
    const out = ['0 move +usdc', '0 move +weth', '0 move -nft', '1 income +usdc', '1 income +weth']
    expect(summary(found)).toEqual([
      ['ADDLIQUIDITY', protocol, '0 move +nft', '0 move -usdc', '0 move -weth'],
      ['ADDLIQUIDITY', protocol, '0 move -usdc', '0 move -weth', '0 move nft'],
      collected,
      ['REMOVELIQUIDITY', protocol, ...out],
    ])
  })

  it('takes out in two steps, and ends the NFT with the second', async () => {
    const play = await newPlay(generation, 1n)
    const { wallet, fork } = play
    const id = await fork.mint(wallet, ...sidesOf(1n), RANGE)
    const found = await played(wallet, async () => {
      await fork.decrease(wallet, id, await liquidityOf(play, id))
      await fork.close(wallet, id, 0n)
    })
    expect(summary(found)).toEqual([
      ['REMOVELIQUIDITY', protocol],
      ['REMOVELIQUIDITY', protocol, '0 move +usdc', '0 move +weth', '0 move -nft'],
    ])
  })

  it('collects what an earlier transaction took out: later pools do not distinguish it from fees', async () => {
    const play = await newPlay(generation, 1n)
    const { wallet, fork } = play
    const id = await fork.mint(wallet, ...sidesOf(1n), RANGE)
    const found = await played(wallet, async () => {
      await fork.decrease(wallet, id, await liquidityOf(play, id))
      await fork.collect(wallet, id)
    })
    const back = ['REMOVELIQUIDITY', protocol, '0 move +usdc', '0 move +weth', '0 move nft']
    expect(summary(found)).toEqual([['REMOVELIQUIDITY', protocol], generation === 'v1' ? back : collected])
  })

  it('is paid by a router, and passes the NFT to another', async () => {
    const { wallet, fork } = await newPlay(generation, 2n)
    const manager = managers.get(generation) ?? NONE
    const other = newWallet()
    for (const token of [usdc, weth]) await bench.chain.actions.erc20.allow(token, wallet, router)
    const found = await played(wallet, async () => {
      const [dollars, coin] = sidesOf(1n)
      const [side0, side1] = BigInt(usdc) < BigInt(weth) ? [dollars, coin] : [coin, dollars]
      const place = {
        ...{ token0: side0.token, token1: side1.token, tickLower: -887_220, tickUpper: 887_220 },
        ...(generation === 'integral' && { deployer: NONE }),
      }
      const amounts = { amount0Desired: side0.amount, amount1Desired: side1.amount, amount0Min: 0n, amount1Min: 0n }
      const call = encodeFunctionData({
        ...{ abi: fork.abi, functionName: 'mint' },
        args: [{ ...place, ...amounts, recipient: wallet, deadline: 2n ** 40n }],
      })
      const args = [manager, [side0.token, side1.token], [side0.amount, side1.amount], call] as const
      await bench.chain.write({ from: wallet, address: router, abi: routerAbi, functionName: 'open', args })
      const owned = {
        address: manager,
        abi: enumerable,
        functionName: 'tokenOfOwnerByIndex',
        args: [wallet, 0n],
      } as const
      const id = await bench.client.readContract(owned)
      const sent = {
        address: manager,
        abi: erc721Abi,
        functionName: 'transferFrom',
        args: [wallet, other, id],
      } as const
      await bench.chain.write({ from: wallet, ...sent })
    })
    expect(summary(found)).toEqual([
      ['ADDLIQUIDITY', protocol, '0 move +nft', '0 move -usdc', '0 move -weth'],
      ['TRANSFEROUT', null, '0 send -nft'],
    ])
  })
})
