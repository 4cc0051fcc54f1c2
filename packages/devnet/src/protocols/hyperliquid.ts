import { type Abi, type Address, type ContractFunctionArgs, encodeFunctionData, pad, parseAbi, toHex } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

const coreAbi = parseAbi([
  'function addToken(string name, address evmContract, uint8 weiDecimals, int8 extraDecimals)',
  'function addDex()',
  'function addPerp(uint32 dex, string coin, uint8 sizeDecimals, uint32 marginTable, uint64 mark)',
  'function addVault(address vault)',
  'function setMark(uint32 id, uint64 mark)',
  'function setOracle(uint32 id, uint64 price)',
  'function join(address user, bool unified)',
  'function setSpot(address user, uint64 token, uint64 total, uint64 hold)',
  'function setCash(address user, uint32 dex, int64 amount)',
  'function open(address user, uint32 id, int64 size, uint32 leverage, bool isolated, int64 margin)',
  'function setShare(address user, address vault, uint64 equity, uint64 lockedUntil)',
  'function delegate(address user, address validator, uint64 amount, uint64 lockedUntil)',
  'function setStake(address user, uint64 undelegated, uint64 pending, uint64 withdrawals)',
  'function setLoan(address user, uint64 token, uint64 owed, uint64 supplied)',
  'function refuse(uint160 precompile, bool refuses)',
])

type CoreFunction = Extract<(typeof coreAbi)[number], { type: 'function' }>['name']

const PRECOMPILES = [0x801, 0x802, 0x804, 0x805, 0x806, 0x807, 0x80a, 0x80c, 0x80f, 0x810, 0x811, 0x813] as const

const precompileAddress = (precompile: number): Address => pad(toHex(precompile), { size: 20 })

export const deployHyperCore = async (chain: DevChain) => {
  const core = await chain.deploy(ownArtifact('HyperCore'))
  const precompile = ownArtifact('HyperCorePrecompile')
  for (const at of PRECOMPILES) await chain.deployTo(precompileAddress(at), precompile, [core])
  /** Makes changes that no HyperEVM transaction can. */
  return <const name extends CoreFunction>(
    functionName: name,
    ...args: ContractFunctionArgs<typeof coreAbi, 'nonpayable', name> & readonly unknown[]
  ) => chain.send({ from: accounts.deployer, to: core, data: encodeCall(functionName, args) })
}

/** The caller has checked name and arguments together. */
const encodeCall = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: coreAbi as Abi, functionName, args: [...args] })
