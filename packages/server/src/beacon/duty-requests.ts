import { type BeaconRequest, invalidValue, parseFields, parseInteger, parseList } from './beacon-request.ts'

export type Committee = { slot: number; index: number; validators: readonly number[] }

export function committeesRequest(slot: number, epoch: number): BeaconRequest<Committee[]> {
  return {
    name: 'committees',
    path: `/eth/v1/beacon/states/${slot}/committees?epoch=${epoch}`,
    parse: ({ data }) => parseList(data, 'committees', parseCommittee),
    past: true,
  }
}

function parseCommittee(value: unknown, where: string): Committee {
  const fields = parseFields(value, where)
  return {
    slot: parseInteger(fields['slot'], 'committee.slot'),
    index: parseInteger(fields['index'], 'committee.index'),
    validators: parseList(fields['validators'], 'committee.validators', parseInteger),
  }
}

/** Returns validators in the order of bits; one may repeat. */
export function syncCommitteeRequest(slot: number, epoch: number): BeaconRequest<number[]> {
  return {
    name: 'sync_committees',
    path: `/eth/v1/beacon/states/${slot}/sync_committees?epoch=${epoch}`,
    parse: ({ data }) =>
      parseList(parseFields(data, 'sync_committees')['validators'], 'sync_committees.validators', parseInteger),
    past: true,
  }
}

export type ProposerDuty = { slot: number; validatorIndex: number }

export function proposerDutiesRequest(epoch: number, slotsPerEpoch: number): BeaconRequest<ProposerDuty[]> {
  return {
    name: 'duties/proposer',
    path: `/eth/v1/validator/duties/proposer/${epoch}`,
    parse({ data }) {
      const duties = parseList(data, 'duties', parseDuty).sort((a, b) => a.slot - b.slot)
      const isEach = duties.every(({ slot }, i) => slot === epoch * slotsPerEpoch + i)
      if (duties.length !== slotsPerEpoch || !isEach)
        throw invalidValue(`the slots of epoch ${epoch}'s duties`, duties.length)
      return duties
    },
    past: true,
  }
}

function parseDuty(value: unknown, where: string): ProposerDuty {
  const fields = parseFields(value, where)
  return {
    slot: parseInteger(fields['slot'], 'duty.slot'),
    validatorIndex: parseInteger(fields['validator_index'], 'duty.validator_index'),
  }
}
