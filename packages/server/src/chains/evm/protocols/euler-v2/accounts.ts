import { type ContractFunctionReturnType, maxUint256 } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { heldBy, type Limit } from '../../../../domain/liquidity.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { inPages } from '../../../../lib/pages.ts'
import type {
  At,
  FurtherPositions,
  HeldContract,
  PositionId,
  PositionScope,
  ProtocolContract,
  SubAccount,
} from '../adapter.ts'
import { addressSchema, readAlone } from '../deployment.ts'
import { assetsOf, vaultOf } from '../shared/vaults.ts'
import { accountLens } from './account-lens.bytecode.ts'
import { vaultLens } from './vault-lens.bytecode.ts'

export const deployment = z.strictObject({
  /** Connector that keeps accounts. */
  evc: addressSchema,
  /** Makes lending vaults; answers `isProxy`. */
  factory: addressSchema,
  /** Make vaults over vaults; answer `isVault`. */
  earnFactories: z.array(addressSchema).default([]),
  /** Vouch for vaults by `isVerified`: these count in full, even while less could be withdrawn. */
  perspectives: z.array(addressSchema).default([]),
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>

/** An untrusted token gets 10,000 gas. */
const VAULTS_PAGE = 100

/** EVK and EulerEarn vaults. */
const VAULTS: ReadonlySet<number> = new Set([1, 2])
const DEBT = 3

export async function madeContracts(
  { reader, deployment }: At<Deployment>,
  tokens: readonly EvmAddress[],
): Promise<ProtocolContract[]> {
  const found = await inPages(tokens, VAULTS_PAGE, async (page) => {
    const args = [contractsOf(deployment), page] as const
    const [kinds, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
    return page.flatMap((address, i) => {
      const [kind = 0, vault] = [kinds[i], vaultOf(address, assets[i] ?? NATIVE)]
      if (VAULTS.has(kind)) return [vault]
      return kind === DEBT ? [{ ...vault, role: 'debt', fungible: false }] : []
    })
  })
  return found.flat()
}

type HeldVault = { vault: HeldContract; supplied: TokenAmount[] }

function readShares(scope: Scope, held: readonly HeldContract[]): Promise<HeldVault[]> {
  const vaults = held.filter(({ role, balanceRaw }) => role === 'vault' && balanceRaw > 0n)
  return readAlone(vaults, scope.leftOut, async (vault) => {
    return [{ vault, supplied: await assetsOf(scope, vault, vault.balanceRaw, askWays(scope, vault)) }]
  })
}

export const askWays =
  ({ reader, deployment }: At<Deployment>, { address, underlyings: [asset = NATIVE] }: ProtocolContract) =>
  async () => {
    const read = { functionName: 'ways', args: [contractsOf(deployment), address] } as const
    const [isVerified, ways] = await reader.lens(vaultLens, read)
    if (isVerified) return undefined
    return ways.map((way) =>
      way.map(({ at, strategy, free }): Limit => {
        const [vault, other] = [evmAddress(at), evmAddress(strategy)]
        return other === NATIVE ? heldBy(asset, vault, free) : { id: `${vault} ${other}`, freeRaw: free }
      }),
    )
  }

const contractsOf = ({ factory, earnFactories, perspectives }: Deployment) => ({ factory, earnFactories, perspectives })

/** One with a debt may use three million gas. */
const ACCOUNTS_PAGE = 32
const ADDRESS_DIGITS = 40
const ACCOUNTS = 256n

type Scope = PositionScope<Deployment>

type Account = ContractFunctionReturnType<typeof accountLens.abi, 'view', 'accounts'>[0][number]

/** 0 is the wallet itself. Undefined if the first 19 bytes differ. */
export function accountNumber(wallet: EvmAddress, account: EvmAddress): bigint | undefined {
  const number = BigInt(wallet) ^ BigInt(account)
  return number < ACCOUNTS ? number : undefined
}

/** A position ID is an account's address. */
export function subAccounts(wallet: EvmAddress, keys: readonly PositionId[]): EvmAddress[] {
  const named = keys.map(({ key }): EvmAddress => `0x${key.toString(16).padStart(ADDRESS_DIGITS, '0')}`)
  return [...new Set(named)].filter((account) => (accountNumber(wallet, account) ?? 0n) > 0n)
}

/** Includes accounts without logs. */
export async function usedAccounts({
  reader,
  deployment: { evc },
  wallet,
}: At<Deployment> & { wallet: EvmAddress }): Promise<FurtherPositions> {
  const [accounts, vaults] = await reader.lens(accountLens, { functionName: 'used', args: [evc, wallet] })
  return {
    keys: accounts.map((account) => ({ contract: evc, key: BigInt(account) })),
    contracts: [...new Set(vaults.map(evmAddress))],
  }
}

/** While the wallet itself owes nothing, each of its vaults is a position. */
export async function readAccounts(scope: Scope): Promise<PositionDraft[]> {
  const all = [{ address: scope.wallet, held: scope.held }, ...scope.further]
  const [states, ...shares] = await Promise.all([
    scope.keys.length > 0 ? readStates(scope, all) : new Map<EvmAddress, Account>(),
    ...all.map((owner) => readShares(scope, owner.held)),
  ])
  return all.flatMap((owner, i) => draftsOf(scope, owner, shares[i] ?? [], states.get(owner.address)))
}

function draftsOf(
  scope: Scope,
  owner: SubAccount,
  vaults: readonly HeldVault[],
  state: Account | undefined,
): PositionDraft[] {
  const { wallet, leftOut } = scope
  const isKnown = (vault: string) => owner.held.some(({ address }) => address === evmAddress(vault))
  for (const vault of state?.collaterals.filter((one) => !isKnown(one)) ?? []) {
    leftOut(new NotFoundYet(`vault ${vault} is collateral of ${owner.address}, and is not known yet`))
  }
  if (owner.address === wallet && !state?.debt) return vaults.map(vaultDraft)
  return state ? [draftOf(scope, owner.address, vaults, state)] : []
}

/** Only accounts that the chain assigns to the wallet. */
async function readStates(
  { reader, deployment: { evc, factory }, wallet, leftOut }: Scope,
  owners: readonly SubAccount[],
): Promise<Map<EvmAddress, Account>> {
  const accounts = owners.map(({ address }) => address)
  const answers = await inPages(accounts, ACCOUNTS_PAGE, (page) =>
    reader.lens(accountLens, { functionName: 'accounts', args: [evc, factory, wallet, page] }),
  )
  for (const account of answers.flatMap(([, refused]) => refused)) {
    leftOut(new Error(`account ${account} could not be read`))
  }
  return new Map(answers.flatMap(([found]) => found.map((one) => [evmAddress(one.account), one] as const)))
}

function draftOf(
  { deployment: { evc }, wallet }: Scope,
  account: EvmAddress,
  vaults: readonly HeldVault[],
  { asset, debt, health }: Account,
): PositionDraft {
  const number = accountNumber(wallet, account) ?? 0n
  return {
    kind: 'lending',
    label: number === 0n ? 'Account' : `Sub-account ${number}`,
    pool: evc,
    tokenId: number,
    supplied: vaults.flatMap(({ supplied }) => supplied),
    borrowed: [{ token: evmAddress(asset), amountRaw: debt }],
    // A sub-account's shares are no tokens of the wallet.
    receipts: number === 0n ? vaults.map(({ vault }) => vault.address) : [],
    ...(debt > 0n && health !== maxUint256 && { healthFactorRaw: health }),
  }
}

const vaultDraft = ({ vault, supplied }: HeldVault): PositionDraft => ({
  kind: 'yield',
  label: 'Vault',
  pool: vault.address,
  supplied,
  receipts: [vault.address],
})
