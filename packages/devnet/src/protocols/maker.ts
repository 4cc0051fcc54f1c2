import { type Address, encodeFunctionData, type Hex, parseAbi, parseEventLogs, stringToHex } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

const RAY = 10n ** 27n
const NO_CAP = 2n ** 200n
/** Fees of 5 % and savings of 3 % a year, per second with 27 digits. */
const DUTY = 1_000_000_001_547_125_957_863_212_448n
const SAVINGS_RATE = 1_000_000_000_937_303_470_807_876_289n

const factoryAbi = parseAbi([
  'function build(address owner) returns (address)',
  'event Created(address indexed sender, address indexed owner, address proxy, address cache)',
])
const managerAbi = parseAbi([
  'function open(bytes32 ilk, address usr) returns (uint256)',
  'function urns(uint256 cdp) view returns (address)',
  'event NewCdp(address indexed usr, address indexed own, uint256 indexed cdp)',
])
const vatAbi = parseAbi(['function urns(bytes32 ilk, address urn) view returns (uint256 ink, uint256 art)'])
const proxyAbi = parseAbi(['function execute(address target, bytes data) payable returns (bytes)'])

const word = (text: string): Hex => stringToHex(text, { size: 32 })

export const makerIlk = word

/** `spot`: highest debt per unit, in DAI with 27 digits for each of 18 decimals. */
export type MakerCollateral = { token: Address; spot: bigint }

export const deployMaker = async (chain: DevChain, collateral: Readonly<Record<string, MakerCollateral>>) => {
  const make = (name: string, args: readonly unknown[] = []) => chain.deploy(ownArtifact(name), args)
  const tell = (name: string, at: Address, functionName: string, args: readonly unknown[]) =>
    chain.admin(at, ownArtifact(name), functionName, args)
  const dai = await make('SkyToken', ['DAI'])
  const vat = await make('MakerVat')
  const jug = await make('MakerJug', [vat])
  const pot = await make('MakerPot', [vat, SAVINGS_RATE])
  const daiJoin = await make('MakerDaiJoin', [vat, dai])
  const ilkRegistry = await make('MakerIlks')
  for (const ward of [jug, pot]) await tell('MakerVat', vat, 'rely', [ward])

  /** Adds a collateral type without a join. */
  const addIlk = async (name: string, spot: bigint) => {
    await tell('MakerVat', vat, 'init', [word(name)])
    await tell('MakerVat', vat, 'file', [word(name), word('line'), NO_CAP])
    await tell('MakerVat', vat, 'file', [word(name), word('spot'), spot])
    await tell('MakerJug', jug, 'set', [word(name), DUTY])
  }
  const joins: Record<string, Address> = {}
  for (const [name, { token, spot }] of Object.entries(collateral)) {
    await addIlk(name, spot)
    const join = await make('MakerJoin', [vat, word(name), token])
    await tell('MakerVat', vat, 'rely', [join])
    await tell('MakerIlks', ilkRegistry, 'add', [join])
    joins[name] = join
  }
  return {
    ...{ vat, jug, pot, ilkRegistry, dai, daiJoin, joins, addIlk },
    dsrManager: await make('DsrManager', [pot, daiJoin]),
    cdpManager: await make('MakerCdpManager', [vat]),
    proxyFactory: await make('MakerProxies'),
    library: await make('MakerActions'),
  }
}

export type Maker = Awaited<ReturnType<typeof deployMaker>>

export const makerActions = (chain: DevChain, at: Maker) => {
  const act = (from: Address, proxy: Address, functionName: string, args: readonly unknown[], value = 0n) => {
    const data = encodeFunctionData({ abi: ownArtifact('MakerActions').abi, functionName, args: [...args] })
    const call = { from, address: proxy, abi: proxyAbi, functionName: 'execute' } as const
    return chain.write({ ...call, args: [at.library, data], value })
  }
  const partsFor = (name: string) => [at.cdpManager, at.jug, at.joins[name], at.daiJoin].map(String)
  const named = (name: string) => {
    const [manager, jug, join, daiJoin] = partsFor(name)
    return { manager, jug, join, daiJoin }
  }

  return {
    act,
    named,
    buildProxy: async (owner: Address, from: Address = owner): Promise<Address> => {
      const call = { from, address: at.proxyFactory, abi: factoryAbi, functionName: 'build' } as const
      const { logs } = await chain.write({ ...call, args: [owner] })
      const [created] = parseEventLogs({ abi: factoryAbi, eventName: 'Created', logs })
      if (!created) throw new Error('the factory logged no proxy')
      return created.args.proxy
    },
    open: async (owner: Address, name: string, from: Address = accounts.market): Promise<bigint> => {
      const call = { from, address: at.cdpManager, abi: managerAbi, functionName: 'open' } as const
      const { logs } = await chain.write({ ...call, args: [word(name), owner] })
      const [opened] = parseEventLogs({ abi: managerAbi, eventName: 'NewCdp', logs })
      if (!opened) throw new Error('the manager logged no CDP')
      return opened.args.cdp
    },
    urnOf: (cdp: bigint) =>
      chain.client.readContract({ address: at.cdpManager, abi: managerAbi, functionName: 'urns', args: [cdp] }),
    /** Gives DAI without a debt, from the Vat's surplus. */
    giveDai: async (wallet: Address, amount: bigint, { token, join } = { token: at.dai, join: at.daiJoin }) => {
      const { deployer } = accounts
      await chain.admin(at.vat, ownArtifact('MakerVat'), 'suck', [deployer, join, amount * RAY])
      await chain.admin(token, ownArtifact('SkyToken'), 'mint', [wallet, amount])
    },
    /** Creates unlocked collateral. */
    credit: (name: string, urn: Address, amount: bigint) =>
      chain.admin(at.vat, ownArtifact('MakerVat'), 'slip', [word(name), urn, amount]),
    /** The auction takes everything and leaves `left` of the collateral. */
    liquidate: async (name: string, urn: Address, left: bigint) => {
      const { deployer } = accounts
      const call = { address: at.vat, abi: vatAbi, functionName: 'urns', args: [word(name), urn] } as const
      const [ink, art] = await chain.client.readContract(call)
      const vat = (functionName: string, args: readonly unknown[]) =>
        chain.admin(at.vat, ownArtifact('MakerVat'), functionName, args)
      await vat('grab', [word(name), urn, deployer, deployer, -ink, -art])
      await vat('flux', [word(name), deployer, urn, left])
      return { ink, art }
    },
  }
}

/** Locks a new SKY and lends a new USDS. The caller adds farms. */
export const deployLockstake = async (
  chain: DevChain,
  maker: Maker,
  { ilk, spot, fee }: { ilk: string; spot: bigint; fee: bigint },
) => {
  const make = (name: string, args: readonly unknown[]) => chain.deploy(ownArtifact(name), args)
  const [sky, lssky, usds] = [
    await make('SkyToken', ['SKY']),
    await make('SkyToken', ['lsSKY']),
    await make('SkyToken', ['USDS']),
  ]
  await maker.addIlk(ilk, spot)
  const usdsJoin = await make('MakerDaiJoin', [maker.vat, usds])
  const engine = await make('LockstakeEngine', [maker.jug, usdsJoin, word(ilk), sky, lssky, fee])
  await chain.admin(maker.vat, ownArtifact('MakerVat'), 'rely', [engine])
  return { engine, sky, lssky, usds, usdsJoin }
}
