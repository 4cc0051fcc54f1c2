import { chainEndpoints } from '@coffer/contract'
import { describe, expect, it } from 'vitest'
import { createTokenCatalog } from '../../catalog/token-catalog.ts'
import { chains, chainTypes } from '../../chains/chain-types.ts'
import type { ProtocolRow } from '../../chains/protocol-row.ts'
import { createIconUrls } from '../icons/icons.ts'
import { listChains, listProtocols, protocolLists } from './module.ts'

const tokens = createTokenCatalog({ chains, configTokens: [] })
const icons = createIconUrls({ origin: 'http://localhost:8080', tokens, spell: chainTypes.spell })

function row(key: string, name: string, chain = 'base'): ProtocolRow {
  return { family: 'any', key, name, chain, deployment: {} }
}

describe('chain list', () => {
  const support = { readsPortfolio: (key: string) => key === 'base', readsTransactions: () => false }
  const list = listChains(chains, support, icons)

  it('has every field of the contract for every chain', () => {
    expect(list).toHaveLength(51)
    expect(chainEndpoints.listChains.response.safeParse(list).success).toBe(true)
    expect(list.find((item) => item.key === 'ethereum')).toEqual({
      chainId: '1',
      key: 'ethereum',
      name: 'Ethereum',
      symbol: 'ETH',
      color: '#627eea',
      imgSmall: 'http://localhost:8080/icons/chains/ethereum.svg',
      imgLarge: 'http://localhost:8080/icons/chains/ethereum.svg',
      explorerTokenUrl: 'https://etherscan.io/token/',
      explorerTransactionUrl: 'https://etherscan.io/tx/',
      explorerAddressUrl: 'https://etherscan.io/address/',
      altExplorerAddressUrl: 'https://eth.blockscout.com/address/',
      altExplorerTokenUrl: 'https://eth.blockscout.com/token/',
      altExplorerTransactionUrl: 'https://eth.blockscout.com/tx/',
      isPortfolioSupported: false,
      isTransactionsSupported: false,
    })
    expect(list.find((item) => item.key === 'solana')).toMatchObject({ chainId: '101', altExplorerTokenUrl: null })
    expect(list.filter((item) => item.isPortfolioSupported).map((item) => item.key)).toEqual(['base'])
  })

  it('is sorted by name as English sorts, letter case aside, equal names by key', () => {
    const names = list.map((item) => item.name.toLowerCase())
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')))
    const [base] = chains.filter((chain) => chain.key === 'base')
    if (!base) throw new Error('no base')
    const spelled = { c: 'zeta', b: 'Alpha', a: 'alpha', d: 'Émile', e: 'Fox' }
    const named = Object.entries(spelled).map(([key, name]) => ({ ...base, key, name }))
    expect(listChains(named, support, icons).map((item) => item.key)).toEqual(['a', 'b', 'd', 'e', 'c'])
  })
})

describe('protocol list', () => {
  const aave = [row('aave_v3', 'Aave v3'), row('aave_v3', 'Aave v3 Prime'), row('x', 'aave v3')]
  const own = [row('my_swap', 'My Swap'), row('a_vault', 'Vault'), row('aave_v3', 'Aave v3 of mine')]
  const lists = protocolLists({
    system: [row('uniswap_v3', 'Uniswap v3'), ...aave, row('other', 'Other', 'ethereum')],
    user: [...own, row('aave_v3', 'Aave v3', 'scroll')],
  })
  const page = (number: number, limit: number) => listProtocols(lists, 'base', { page: number, limit }, icons)
  const keys = (answer: ReturnType<typeof page>) => answer.data.map((item) => item.key)

  it("puts the operator's first on page 1, beyond its limit", () => {
    expect(keys(page(1, 1))).toEqual(['my_swap', 'a_vault', 'aave_v3'])
    expect(page(1, 1).data.map((item) => item.isUserProtocol)).toEqual([true, true, false])
    expect(page(1, 1).pagination).toEqual({ page: 1, limit: 1, hasMore: true })
    expect(keys(page(3, 1))).toEqual(['uniswap_v3'])
    expect(page(3, 1).pagination.hasMore).toBe(false)
  })

  it('gives pages that put together hold each protocol once, system ones by name, then key', () => {
    for (const limit of [1, 2, 3, 100]) {
      const all: string[] = []
      for (let number = 1; ; number++) {
        const answer = page(number, limit)
        all.push(...keys(answer))
        if (!answer.pagination.hasMore) break
      }
      expect(all).toEqual(['my_swap', 'a_vault', 'aave_v3', 'x', 'uniswap_v3'])
    }
  })

  it('counts a further deployment of a system protocol as that protocol', () => {
    const { data } = listProtocols(lists, 'scroll', { page: 1, limit: 20 }, icons)
    expect(data).toMatchObject([{ key: 'aave_v3', name: 'Aave v3', isUserProtocol: false }])
  })

  it('gives a key the same UUID wherever it is listed, as the contract types it', () => {
    const answer = page(1, 20)
    expect(answer.data.map(({ name }) => name).slice(2)).toEqual(['Aave v3', 'aave v3', 'Uniswap v3'])
    expect(chainEndpoints.listProtocols.response.safeParse(answer).success).toBe(true)
    expect(answer.data.find((item) => item.key === 'aave_v3')?.uuid).toBe(
      listProtocols(lists, 'scroll', { page: 1, limit: 20 }, icons).data[0]?.uuid,
    )
    expect(new Set(answer.data.map((item) => item.uuid)).size).toBe(answer.data.length)
  })
})
