import { type Address, erc20Abi, maxUint256, parseAbi } from 'viem'
import { hardhatArtifacts, packageArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

const mintableAbi = parseAbi(['function mint(address account, uint256 value) returns (bool)'])
const wethAbi = parseAbi(['function deposit() payable', 'function withdraw(uint256 wad)'])
const SINK: Address = '0x000000000000000000000000000000000000dEaD'

export type TokenFacts = { address: Address; name: string; symbol: string; decimals: number }

/** Anyone may mint any amount. */
export const deployToken = (chain: DevChain, token: TokenFacts): Promise<Address> =>
  chain.deployTo(token.address, hardhatArtifacts('@aave/core-v3')('mocks/tokens/MintableERC20'), [
    token.name,
    token.symbol,
    token.decimals,
  ])

export const deployWrappedNative = (chain: DevChain, address: Address): Promise<Address> =>
  chain.deployTo(address, packageArtifact('canonical-weth', 'build/contracts/WETH9.json'))

/** `weth` cannot be minted: it is bought with new coins. */
export const erc20Actions = (chain: DevChain, weth: Address) => {
  const balanceOf = (token: Address, owner: Address) =>
    chain.client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

  const transfer = (token: Address, from: Address, to: Address, amount: bigint) =>
    chain.write({ from, address: token, abi: erc20Abi, functionName: 'transfer', args: [to, amount] })

  const wrap = async (wallet: Address, amount: bigint) => {
    const source = accounts.market
    await chain.client.setBalance({
      address: source,
      value: (await chain.client.getBalance({ address: source })) + amount,
    })
    await chain.write({ from: source, address: weth, abi: wethAbi, functionName: 'deposit', value: amount })
    if (wallet !== source) await transfer(weth, source, wallet, amount)
  }

  const mint = async (token: Address, wallet: Address, amount: bigint): Promise<void> => {
    if (token === weth) return wrap(wallet, amount)
    await chain.write({
      from: accounts.market,
      address: token,
      abi: mintableAbi,
      functionName: 'mint',
      args: [wallet, amount],
    })
  }

  const setBalance = async (token: Address, wallet: Address, amount: bigint): Promise<void> => {
    const balance = await balanceOf(token, wallet)
    if (balance < amount) await mint(token, wallet, amount - balance)
    if (balance > amount) await transfer(token, wallet, SINK, balance - amount)
  }

  /** Approves an unlimited amount once. */
  const allow = async (token: Address, owner: Address, spender: Address): Promise<void> => {
    const allowance = await chain.client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [owner, spender],
    })
    if (allowance > maxUint256 / 2n) return
    await chain.write({
      from: owner,
      address: token,
      abi: erc20Abi,
      functionName: 'approve',
      args: [spender, maxUint256],
    })
  }

  return { balanceOf, transfer, mint, setBalance, allow }
}

export type Erc20Actions = ReturnType<typeof erc20Actions>
