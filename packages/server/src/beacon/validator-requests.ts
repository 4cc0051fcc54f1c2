import {
  type BeaconRequest,
  invalidValue,
  parseAmount,
  parseEpoch,
  parseFields,
  parseFlag,
  parseHex,
  parseInteger,
  parseList,
  pastOf,
  type StateId,
} from './beacon-request.ts'

const STATUSES = [
  'pending_initialized',
  'pending_queued',
  'active_ongoing',
  'active_exiting',
  'active_slashed',
  'exited_unslashed',
  'exited_slashed',
  'withdrawal_possible',
  'withdrawal_done',
] as const

export type BeaconStatus = (typeof STATUSES)[number]

/** Null epochs are not set yet. */
export type ValidatorLife = {
  index: number
  effectiveBalanceGwei: bigint
  slashed: boolean
  activationEpoch: number | null
  exitEpoch: number | null
  withdrawableEpoch: number | null
}

/** Hex is lower case. */
export type BeaconValidator = ValidatorLife & {
  pubkey: string
  status: BeaconStatus
  balanceGwei: bigint
  withdrawalCredentials: string
}

export function validatorRequest(state: StateId, id: number | string): BeaconRequest<BeaconValidator | null> {
  return {
    name: 'validator',
    path: `/eth/v1/beacon/states/${state}/validators/${String(id).toLowerCase()}`,
    parse: ({ data }) => parseValidator(data, 'validator'),
    notFound: () => null,
    // Nodes answer 400 for 48 bytes that are no curve point.
    notFoundOn: [400, 404],
  }
}

/** Sends no status filter: combined with ids, some nodes return nothing. */
export function validatorsRequest(state: StateId, ids: readonly (number | string)[]): BeaconRequest<BeaconValidator[]> {
  return {
    name: 'validators',
    path: `/eth/v1/beacon/states/${state}/validators`,
    body: { ids: ids.map(String) },
    parse: ({ data }) => parseList(data, 'validators', parseValidator),
    ...pastOf(state),
  }
}

/** Some 4 MB of answer. */
export const VALIDATORS_A_REQUEST = 10_000

export async function* registryPages(
  ask: (request: BeaconRequest<BeaconValidator[]>) => Promise<BeaconValidator[]>,
  state: StateId,
  fromIndex = 0,
): AsyncGenerator<BeaconValidator[]> {
  for (let from = fromIndex; ; from += VALIDATORS_A_REQUEST) {
    const page = Array.from({ length: VALIDATORS_A_REQUEST }, (_, i) => from + i)
    const found = await ask(validatorsRequest(state, page))
    yield found
    if (found.length < VALIDATORS_A_REQUEST) return
  }
}

function parseValidator(value: unknown, where: string): BeaconValidator {
  const outer = parseFields(value, where)
  const fields = parseFields(outer['validator'], 'validator')
  const status = STATUSES.find((known) => known === outer['status'])
  if (!status) throw invalidValue('status', outer['status'])
  return {
    status,
    index: parseInteger(outer['index'], 'index'),
    balanceGwei: parseAmount(outer['balance'], 'balance'),
    pubkey: parseHex(fields['pubkey'], 'pubkey', 48),
    effectiveBalanceGwei: parseAmount(fields['effective_balance'], 'effective_balance'),
    slashed: parseFlag(fields['slashed'], 'slashed'),
    withdrawalCredentials: parseHex(fields['withdrawal_credentials'], 'withdrawal_credentials', 32),
    activationEpoch: parseEpoch(fields['activation_epoch'], 'activation_epoch'),
    exitEpoch: parseEpoch(fields['exit_epoch'], 'exit_epoch'),
    withdrawableEpoch: parseEpoch(fields['withdrawable_epoch'], 'withdrawable_epoch'),
  }
}
