import { readFileSync } from 'node:fs'
import * as aaveBook from '@aave-dao/aave-address-book'
import { addressBookByChainId } from '@beefyfinance/blockchain-addressbook'
import type { ContractRole } from '../src/chains/evm/decode/contract-labels.ts'

type Row = { chain: string; address: string; protocol: string; role: ContractRole }

/**
 * Exchange names by their keys in `@beefyfinance/blockchain-addressbook` (MIT), with Coffer's keys where those differ.
 */
const PLATFORMS: Readonly<Record<string, string | readonly [key: string, name: string]>> = {
  aerodrome: 'Aerodrome',
  ape: ['apeswap', 'ApeSwap'],
  apeswap: 'ApeSwap',
  aura: 'Aura',
  babyswap: 'BabySwap',
  bakery: ['bakeryswap', 'BakerySwap'],
  balancer: ['balancer_v2', 'Balancer V2'],
  baseSwap: ['baseswap', 'BaseSwap'],
  beamswap: 'Beamswap',
  beethovenX: ['beethoven_x', 'Beethoven X'],
  beethovenx: ['beethoven_x', 'Beethoven X'],
  biswap: 'Biswap',
  cone: 'Cone',
  crona: ['cronaswap', 'CronaSwap'],
  dfyn: 'Dfyn',
  dystopia: 'Dystopia',
  elk: 'Elk Finance',
  equalizer: 'Equalizer',
  equilibre: 'Equilibre',
  etherex: 'Etherex',
  finn: ['huckleberry', 'Huckleberry'],
  hermes: 'Hermes',
  jet: ['jetswap', 'JetSwap'],
  jetswap: 'JetSwap',
  joe: ['trader_joe', 'Trader Joe'],
  kittenswap: 'KittenSwap',
  lydia: 'Lydia',
  lynex: 'Lynex',
  mai: 'Mai Finance',
  mdex: 'MDEX',
  moe: ['merchant_moe', 'Merchant Moe'],
  netswap: 'Netswap',
  nile: 'Nile',
  nuri: 'Nuri',
  pancake: ['pancakeswap_v2', 'PancakeSwap V2'],
  pangolin: 'Pangolin',
  quickswap: 'QuickSwap',
  ramses: 'Ramses',
  solarbeam: 'Solarbeam',
  solarflare: 'Solarflare',
  solidly: 'Solidly',
  solisnek: 'SoliSnek',
  spiritswap: 'SpiritSwap',
  spookyswap: 'SpookySwap',
  stargate: 'Stargate',
  stellaswap: 'StellaSwap',
  sushi: ['sushiswap', 'SushiSwap'],
  swapfish: 'SwapFish',
  swapsicle: 'Swapsicle',
  synapse: 'Synapse',
  tethys: 'Tethys',
  thena: 'Thena',
  tombswap: 'TombSwap',
  trisolaris: 'Trisolaris',
  velocimeter: 'Velocimeter',
  velodrome: 'Velodrome',
  verse: 'Verse',
  voltage: 'Voltage',
  vvs: ['vvs_finance', 'VVS Finance'],
  wault: 'Wault',
  wigoswap: 'WigoSwap',
}

/** Roles by contract name. Contracts with other names are omitted. */
const ROLES: readonly (readonly [RegExp, ContractRole])[] = [
  [/chef|booster/i, 'staking'],
  [/router/i, 'exchange'],
]

/** Contracts around Aave's markets that wallets call, from `@aave-dao/aave-address-book` (MIT). */
const AAVE_PARTS: Readonly<Record<string, ContractRole>> = {
  DEBT_SWAP_ADAPTER: 'other',
  MIGRATION_HELPER: 'other',
  REPAY_WITH_COLLATERAL_ADAPTER: 'other',
  SWAP_COLLATERAL_ADAPTER: 'other',
  WETH_GATEWAY: 'lending',
  WITHDRAW_SWAP_ADAPTER: 'other',
}

const HEX_ADDRESS = /^0x[0-9a-f]{40}$/
const isContract = (address: string) => HEX_ADDRESS.test(address) && !/^0x0*$/.test(address)

/** Text of `assets/contract-labels.json`: protocol names by key, protocol and role by chain and address. */
export function gatherContractLabels(chainKeys: ReadonlyMap<string, string>): string {
  const names = new Map<string, string>()
  const rows = [...platformRows(chainKeys, names), ...aaveRows(chainKeys, names), ...listedRows(names)]
  const byPlace = new Map(rows.map((row) => [`${row.chain} ${row.address}`, row]))
  const lines = [...byPlace.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const chains = [...Map.groupBy(lines, ({ chain }) => chain)].map(([chain, ofIt]) => {
    const contracts = ofIt.map(({ address, protocol, role }) => `"${address}":["${protocol}","${role}"]`)
    return `"${chain}":{\n${contracts.join(',\n')}\n}`
  })
  const used = new Set(lines.map(({ protocol }) => protocol))
  const protocols = [...names].filter(([key]) => used.has(key)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const named = protocols.map(([key, name]) => `${JSON.stringify(key)}:${JSON.stringify(name)}`)
  return `{"protocols":{\n${named.join(',\n')}\n},\n"chains":{\n${chains.join(',\n')}\n}}\n`
}

function platformRows(chainKeys: ReadonlyMap<string, string>, names: Map<string, string>): Row[] {
  return Object.entries(addressBookByChainId).flatMap(([chainId, { platforms }]) => {
    const chain = chainKeys.get(chainId)
    if (chain === undefined) return []
    return Object.entries(platforms).flatMap(([platform, contracts]) => {
      const known = PLATFORMS[platform]
      if (known === undefined) return []
      const [protocol, name] = typeof known === 'string' ? [platform, known] : known
      names.set(protocol, name)
      return Object.entries(contracts).flatMap(([contract, address]): Row[] => {
        const role = ROLES.find(([pattern]) => pattern.test(contract))?.[1]
        const lower = String(address).toLowerCase()
        return role && isContract(lower) ? [{ chain, address: lower, protocol, role }] : []
      })
    })
  })
}

function aaveRows(chainKeys: ReadonlyMap<string, string>, names: Map<string, string>): Row[] {
  return Object.entries(aaveBook as Readonly<Record<string, object>>).flatMap(([market, facts]) => {
    const version = /^AaveV([23])/.exec(market)?.[1]
    const chain = chainKeys.get(String('CHAIN_ID' in facts && facts.CHAIN_ID))
    if (version === undefined || chain === undefined) return []
    const protocol = `aave_v${version}`
    names.set(protocol, `Aave V${version}`)
    return Object.entries(facts).flatMap(([part, address]): Row[] => {
      const role = AAVE_PARTS[part]
      const lower = String(address).toLowerCase()
      return role && isContract(lower) ? [{ chain, address: lower, protocol, role }] : []
    })
  })
}

/** Rows of `contract-labels.txt` take precedence over the packages. */
function listedRows(names: Map<string, string>): Row[] {
  const lines = readFileSync(new URL('contract-labels.txt', import.meta.url), 'utf8').split('\n')
  let protocol = ''
  return lines.flatMap((line): Row[] => {
    if (line === '' || line.startsWith('#')) return []
    if (!line.startsWith(' ')) {
      protocol = line.slice(0, line.indexOf(' '))
      names.set(protocol, line.slice(protocol.length + 1))
      return []
    }
    const [chain = '', address = '', role = ''] = line.trim().split(' ')
    if (!isContract(address)) throw new Error(`no address of a contract: ${line}`)
    return [{ chain, address, protocol, role: role as ContractRole }]
  })
}
