import { describe, expect, it } from 'vitest'
import { facesOf } from './chain.ts'
import { findChain } from './chain-catalog.ts'
import { chains } from './chain-types.ts'

const approvalChains = 'arbitrum avalanche base binance ethereum fantom gnosis linea optimism polygon'.split(' ')

const FORMS = { evm: /^0x[0-9a-f]{40}$/, solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ }

describe('chain catalog', () => {
  it('knows fifty EVM chains with Multicall3 and Solana, each once', () => {
    const evm = chains.filter((chain) => chain.family === 'evm')
    expect(evm).toHaveLength(50)
    expect(evm.filter((chain) => chain.multicall3 === null)).toEqual([])
    expect(new Set(chains.map((chain) => chain.key)).size).toBe(51)
    expect(new Set(chains.map((chain) => chain.chainId)).size).toBe(51)
  })

  it.each(approvalChains)('%s has what a first start needs', (key) => {
    const chain = findChain(key, chains)
    // An endpoint that is down or slow needs another operator's as fallback.
    const hosts = new Set(chain?.publicRpcUrls.map((url) => new URL(url).hostname.split('.').slice(-2).join('.')))
    expect(hosts.size).toBeGreaterThan(1)
    expect(chain?.wrappedNative).toMatch(/^0x[0-9a-f]{40}$/)
    expect(chain?.defillama).not.toBeNull()
    expect(chain?.coingecko).not.toBeNull()
  })

  it('writes every address in lower case and every link and colour in one form', () => {
    for (const chain of chains) {
      const addresses = [chain.wrappedNative, chain.multicall3, ...facesOf(chain)].filter((a) => a !== null)
      for (const address of addresses) expect(address).toMatch(FORMS[chain.family as keyof typeof FORMS])
      expect(chain.color).toMatch(/^#[0-9a-f]{6}$/)
      for (const link of [...Object.values(chain.explorer), ...Object.values(chain.altExplorer ?? {})]) {
        expect(link).toMatch(/^https:\/\/[a-z0-9.-]+\/[a-z]+\/$/)
      }
      for (const url of chain.publicRpcUrls) expect(url).toMatch(/^https:\/\//)
    }
  })

  it.each([
    ['bsc', 'binance'],
    ['avax', 'avalanche'],
    ['eth', 'ethereum'],
    ['matic', 'polygon'],
    ['xdai', 'gnosis'],
    ['era', 'zksync'],
    ['zksync', 'zksync'],
    ['1', 'ethereum'],
    ['56', 'binance'],
    ['324', 'zksync'],
    ['101', 'solana'],
  ])('%s means %s', (input, key) => {
    expect(findChain(input, chains)?.key).toBe(key)
  })

  it.each(['', 'Ethereum', 'BSC', ' eth', '01', '0x1', '1.0', 'nope', '__proto__', '99999999'])(
    '%j means no chain',
    (input) => {
      expect(findChain(input, chains)).toBeUndefined()
    },
  )

  it('asks the precompile for the block only where the opcode answers for another chain', () => {
    expect(chains.filter((chain) => chain.blockSource === 'arbsys').map((chain) => chain.key)).toEqual([
      'arbitrum',
      'arbitrum_nova',
    ])
  })

  it('leaves out the ERC-20 faces of native coins', () => {
    expect(findChain('polygon', chains)?.nativeErc20s).toEqual(['0x0000000000000000000000000000000000001010'])
    expect(findChain('celo', chains)?.nativeErc20s).toEqual(['0x471ece3750da237f93b8e339c536989b8978a438'])
    for (const key of ['moonbeam', 'moonriver']) {
      expect(findChain(key, chains)?.nativeErc20s, key).toEqual(['0x0000000000000000000000000000000000000802'])
    }
    for (const key of ['boba', 'mantle', 'metis', 'optimism']) {
      expect(findChain(key, chains)?.nativeErc20s, key).toEqual(['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'])
    }
  })
})
