import { Failure, type ValidatorDetails } from '@coffer/contract'
import { type BeaconStatus, type BeaconValidator, validatorRequest } from '../../beacon/validator-requests.ts'
import { type BeaconTimes, timeOfEpoch } from '../../domain/beacon-time.ts'
import type { BeaconContext } from './context.ts'
import { inWei } from './present.ts'
import type { ValidatorId } from './tracking.ts'

/** Prefix 0x01: withdrawals go to an address. */
const ADDRESS_PREFIX = 1

/** A status implies the earlier stages of a validator's life. */
const isActivated = (status: BeaconStatus) => !status.startsWith('pending_')
const isWithdrawable = (status: BeaconStatus) => status.startsWith('withdrawal_')
const isExited = (status: BeaconStatus) => status.startsWith('exited_') || isWithdrawable(status)

/** Checks now and then that the node is in sync. */
export async function findDetails({ pool, chain, checkFresh }: BeaconContext, id: ValidatorId) {
  const [validator, { times }] = await Promise.all([
    pool.run(async (node) => {
      const [found] = await Promise.all([node.request(validatorRequest('head', id)), checkFresh(node)])
      return found
    }),
    chain.facts(),
  ])
  if (!validator) throw new Failure('NOT_FOUND', 'There is no such validator')
  return presentDetails(validator, times)
}

export function presentDetails(of: BeaconValidator, times: BeaconTimes): ValidatorDetails {
  const { status, withdrawalCredentials: credential } = of
  const activationEpoch = isActivated(status) ? of.activationEpoch : null
  const shown = status === 'pending_initialized' || status === 'pending_queued' ? 'pending' : status
  const prefix = Number.parseInt(credential.slice(2, 4), 16)
  return {
    validator: { index: of.index, pubkey: of.pubkey, slashed: of.slashed, status: shown },
    lifecycle: {
      activationEpoch,
      activationTimestamp: activationEpoch === null ? null : timeOfEpoch(times, activationEpoch),
      exitEpoch: isExited(status) ? of.exitEpoch : null,
      withdrawableEpoch: isWithdrawable(status) ? of.withdrawableEpoch : null,
    },
    balance: { actual: inWei(of.balanceGwei), effective: inWei(of.effectiveBalanceGwei) },
    withdrawalCredentials: {
      prefix,
      credential,
      ...(prefix === ADDRESS_PREFIX && { address: `0x${credential.slice(-40)}` }),
    },
  }
}
