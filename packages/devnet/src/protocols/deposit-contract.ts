import { type Address, parseAbi } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'

/** Its log has no indexed field. */
export const depositContractAbi = parseAbi([
  'function deposit(bytes pubkey, bytes withdrawal_credentials, bytes signature, bytes32 deposit_data_root) payable',
  'function get_deposit_root() view returns (bytes32)',
  'function get_deposit_count() view returns (bytes)',
  'event DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index)',
])

export const deployDepositContract = (chain: DevChain, address: Address): Promise<Address> =>
  chain.deployTo(address, ownArtifact('DepositContract'))
