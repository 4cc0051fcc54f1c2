import { encodeFunctionData } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, ProtocolContract } from '../adapter.ts'
import { claimLens } from '../shared/claim-lens.bytecode.ts'
import { convertingAbi, extraAbi, poolAbi, sidePoolAbi } from './abi.ts'
import { listsRewards } from './pools.ts'

/**
 * CVX and AURA are minted by rules that no view tells, so claims are simulated. Extra pools' tokens are untrusted: they
 * are claimed separately.
 */
export async function rewardsOf(
  reader: EvmReader,
  protocolContract: ProtocolContract,
  wallet: EvmAddress,
  leftOut: LeftOut,
): Promise<TokenAmount[]> {
  const { address, data } = protocolContract
  if (listsRewards(protocolContract)) return listed(reader, protocolContract, wallet, leftOut)
  const main = (data?.['main'] ?? '').split(' ').map(evmAddress)
  const extras = (data?.['extras'] ?? '').split(',').filter((extra) => extra !== '')
  const claim = data?.['converting']
    ? encodeFunctionData({ abi: convertingAbi, functionName: 'getReward', args: [wallet, false, false] })
    : encodeFunctionData({ abi: poolAbi, functionName: 'getReward', args: [wallet, false] })
  const ofExtra = encodeFunctionData({ abi: extraAbi, functionName: 'getReward', args: [wallet] })
  const paid = await Promise.all([
    claimed(reader, wallet, { target: address, claim, tokens: main }),
    ...extras.map((extra) => {
      const [pool = '', token = ''] = extra.split(' ')
      return claimed(reader, wallet, { target: evmAddress(pool), claim: ofExtra, tokens: [evmAddress(token)] })
    }),
  ])
  return paid.flat()
}

type Claim = { target: EvmAddress; claim: `0x${string}`; tokens: readonly EvmAddress[] }

async function claimed(
  reader: EvmReader,
  wallet: EvmAddress,
  { target, claim, tokens }: Claim,
): Promise<TokenAmount[]> {
  const args = [wallet, target, claim, tokens] as const
  const amounts = await reader.lens(claimLens, { functionName: 'paid', args })
  return tokens.map((token, i) => ({ token, amountRaw: amounts[i] ?? 0n }))
}

/** One refusing reward token makes the whole list refuse. */
async function listed(reader: EvmReader, protocolContract: ProtocolContract, wallet: EvmAddress, leftOut: LeftOut) {
  const { address } = protocolContract
  const call = { address, abi: sidePoolAbi, functionName: 'earned', args: [wallet] } as const
  const earned = await reader.tryRead(call)
  if (!earned) leftOut(new Error(`rewards of ${address} could not be read`), protocolContract, 'part')
  const found = (earned ?? []).map(({ token, amount }) => ({ token: evmAddress(token), amountRaw: amount }))
  return found.filter(({ token }) => token !== NATIVE)
}
