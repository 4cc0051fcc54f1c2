import { addresses } from '@coffer/devnet'
import { getAddress } from 'viem'
import { DAY_SECONDS, type Deed, type Played } from './varied-history.ts'

type Keeps = (deed: Deed) => boolean

export type Filter = {
  name: string
  query(played: Played): string
  keeps(played: Played): Keeps
}

const { router, pairs } = addresses.ethereum.uniswapV2

/** Number from the first day, as `YYYY-MM-DD`. */
export const dayOf = ({ begin }: Played, number: number) =>
  new Date((begin + number * DAY_SECONDS) * 1000).toISOString().slice(0, 10)

export function deedOf({ deeds }: Played, name: string): Deed {
  const found = deeds.find((deed) => deed.name === name)
  if (!found) throw new Error(`nobody did ${name}`)
  return found
}

const since = (played: Played, number: number) => played.begin + number * DAY_SECONDS
const timeOf = (played: Played, name: string) => deedOf(played, name).time
/** `beside`: milliseconds to add. */
const moment = (played: Played, name: string, beside = 0) =>
  new Date(timeOf(played, name) * 1000 + beside).toISOString()

const isNamed = (...names: string[]): Keeps => {
  return ({ name }) => names.includes(name)
}
const isOn = (key: string): Keeps => {
  return ({ chain }) => chain === key
}
export const isType = (...types: string[]): Keeps => {
  return ({ type }) => types.includes(type)
}
const isOf = (...keys: string[]): Keeps => {
  return ({ protocol }) => protocol !== undefined && keys.includes(protocol)
}
const involves = (...wanted: string[]): Keeps => {
  const lower = wanted.map((address) => address.toLowerCase())
  return ({ parties }) => parties.some((address) => lower.includes(address.toLowerCase()))
}
const says = (text: string): Keeps => {
  return ({ words }) => words.some((word) => word.toLowerCase().includes(text))
}

const plain = (query: string, keeps: Keeps): Filter => ({ name: query, query: () => query, keeps: () => keeps })

const byKey: readonly Filter[] = [
  plain('networks=base', isOn('base')),
  plain('networks=eth', isOn('ethereum')),
  plain('networks=Base', isOn('base')),
  plain('networks=8453', isOn('base')),
  plain('networks=base,8453,polygon', isOn('base')),
  plain('chain=ethereum', isOn('ethereum')),
  plain('txTypes=TRANSFERIN', isType('TRANSFERIN')),
  plain('txTypes=SWAP,%20LEND,', isType('SWAP', 'LEND')),
  plain('txTypes=SWAP&txTypes=FAILED', isType('SWAP', 'FAILED')),
  plain('type=APPROVAL', isType('APPROVAL')),
  plain('txTypes=swap,Lend', isType('SWAP', 'LEND')),
  plain('txTypes=DEPOSIT&type=SPAM', isType('DEPOSIT', 'SPAM')),
  plain('protocols=aave_v3', isOf('aave_v3')),
  plain('protocols=Aave_V3', isOf('aave_v3')),
  plain('protocols=uniswap_v2,nova_vaults', isOf('uniswap_v2', 'nova_vaults')),
  plain('protocols=uniswap_v3,aave_v2', isOf('uniswap_v3')),
  plain('hideSpam=true', ({ type }) => type !== 'SPAM'),
  // Approvals and failures move nothing and are not dust.
  plain('hideDust=true', ({ isDust }) => isDust !== true),
]

const byDate: readonly Filter[] = [
  {
    name: 'startDate, a day',
    query: (played) => `startDate=${dayOf(played, 1)}`,
    keeps: (played) => (deed) => deed.time >= since(played, 1),
  },
  {
    name: 'endDate, a day',
    query: (played) => `endDate=${dayOf(played, 1)}`,
    keeps: (played) => (deed) => deed.time < since(played, 2),
  },
  {
    name: 'startDate and endDate, one day',
    query: (played) => `startDate=${dayOf(played, 1)}&endDate=${dayOf(played, 1)}`,
    keeps: (played) => (deed) => deed.time >= since(played, 1) && deed.time < since(played, 2),
  },
  {
    name: 'startDate, a moment',
    query: (played) => `startDate=${moment(played, 'loan')}`,
    keeps: (played) => (deed) => deed.time >= timeOf(played, 'loan'),
  },
  {
    name: 'startDate, a millisecond later',
    query: (played) => `startDate=${moment(played, 'loan', 1)}`,
    keeps: (played) => (deed) => deed.time > timeOf(played, 'loan'),
  },
  {
    name: 'endDate, a moment',
    query: (played) => `endDate=${moment(played, 'loan')}`,
    keeps: (played) => (deed) => deed.time <= timeOf(played, 'loan'),
  },
  {
    name: 'endDate, a millisecond earlier',
    query: (played) => `endDate=${moment(played, 'loan', -1)}`,
    keeps: (played) => (deed) => deed.time < timeOf(played, 'loan'),
  },
  {
    name: 'startDate and endDate, one moment',
    query: (played) => `startDate=${moment(played, 'loan')}&endDate=${moment(played, 'loan')}`,
    keeps: () => isNamed('loan'),
  },
  {
    name: 'startDate, in another zone',
    query: (played) => `startDate=${dayOf(played, 1)}T01:59:59%2B02:00`,
    keeps: (played) => (deed) => deed.time >= since(played, 1) - 1,
  },
]

const byWhatMoved: readonly Filter[] = [
  {
    name: 'tokenId',
    query: (played) => `tokenId=${deedOf(played, 'NFT in').tokenId}`,
    keeps: () => isNamed('NFT in', 'NFT out'),
  },
  {
    name: 'tokenId, of a position',
    query: (played) => `tokenId=${deedOf(played, 'position').tokenId}`,
    keeps: () => isNamed('position'),
  },
  {
    name: 'interactingAddresses, who gives and who gets',
    query: ({ cast }) => `interactingAddresses=${cast.friend}`,
    keeps: ({ cast }) => involves(cast.friend),
  },
  {
    name: 'interactingAddresses, who sends alone',
    query: ({ cast }) => `interactingAddresses=${cast.outsider}`,
    keeps: () => isNamed('bait', 'poison'),
  },
  plain(`interactingAddresses=${getAddress(router)}`, involves(router)),
  {
    name: 'interactingAddresses, several',
    query: ({ cast }) => `interactingAddresses=${cast.other},${pairs.usdcWeth}`,
    keeps: () => isNamed('tokens to the other', 'swap'),
  },
  plain('initialSearchText=uSDc', says('usdc')),
  plain('initialSearchText=d%20coi', says('d coi')),
  // Paid gas is no movement.
  plain('initialSearchText=ether', says('ether')),
  plain('initialSearchText=AAVE', says('aave')),
  plain('initialSearchText=swapexact', says('swapexact')),
  plain('initialSearchText=nova', says('nova')),
  {
    name: 'initialSearchText, a hash',
    query: (played) => `initialSearchText=${deedOf(played, 'vault').hash.toUpperCase()}`,
    keeps: () => isNamed('vault'),
  },
  {
    name: 'initialSearchText, a part of a hash',
    query: (played) => `initialSearchText=${deedOf(played, 'bait').hash.slice(20, 40)}`,
    keeps: () => isNamed('bait'),
  },
]

export const FILTERS: readonly Filter[] = [...byKey, ...byDate, ...byWhatMoved]
