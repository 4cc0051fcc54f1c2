import type { EvmAddress } from '../../../domain/evm-address.ts'
import { askApart } from '../../../lib/ask-apart.ts'
import type { Logger } from '../../../lib/logger.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { Chain } from '../../chain.ts'
import type { UntrustedContractStore } from '../../stores.ts'
import type { Tokens } from '../../tokens.ts'
import { isVouched, type ProtocolContract, type ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'

const ASKED_AT_ONCE = 50
const MOST_REFUSALS = 3

export type UntrustedContracts = ReturnType<typeof createUntrustedContracts>

/** Recognised by their answers. Anyone may write them, and they may change: every renewal rechecks them. */
export function createUntrustedContracts(store: UntrustedContractStore, tokens: Tokens<never>, log: Logger) {
  const refusals = new Map<ProtocolDeployment, Map<EvmAddress, number>>()
  let dropped = 0

  /** A refusing contract does not affect the others. */
  async function recognise(
    chain: Chain,
    row: ProtocolDeployment,
    reader: EvmReader,
    found: readonly EvmAddress[],
  ): Promise<ProtocolContract[]> {
    const { adapter, deployment } = row
    if (!adapter.recognise) return []
    const known = await tokens.of(chain)
    const isListed = (address: EvmAddress) => known.find(address)?.listed ?? false
    const recognised: ProtocolContract[] = []
    for (const page of pagesOf(found, ASKED_AT_ONCE)) {
      const ask = async (some: readonly EvmAddress[]) =>
        (await adapter.recognise?.({ reader, deployment, tokens: some, isListed })) ?? []
      recognised.push(...(await askApart(page, ask)))
    }
    return recognised
  }

  async function judgeAgain(
    chain: Chain,
    row: ProtocolDeployment,
    reader: EvmReader,
    known: readonly ProtocolContract[] = [],
  ) {
    const vouched = new Set(known.flatMap((contract) => (isVouched(row, contract) ? contract.address : [])))
    const untrustedContracts = (await store.addresses(row)).filter((address) => !vouched.has(address))
    const recognised = await recognise(chain, row, reader, untrustedContracts)
    const kept = new Set([...vouched, ...recognised.map(({ address }) => address)])
    const lost = known.flatMap(({ address }) => (kept.has(address) ? [] : address))
    for (const address of lost) report(row, address, 'the protocol no longer recognises it')
    await store.drop(row, lost)
    refusals.delete(row)
    return recognised
  }

  function isDropped(row: ProtocolDeployment, { address }: ProtocolContract): boolean {
    const counts = refusals.get(row) ?? new Map<EvmAddress, number>()
    const count = (counts.get(address) ?? 0) + 1
    refusals.set(row, counts.set(address, count))
    if (count !== MOST_REFUSALS) return false
    report(row, address, 'it refused to be read too often')
    const unstored = 'a dropped contract could not be stored as such; it may be read again'
    store.drop(row, [address]).catch((err: unknown) => log.warn({ err, chain: row.chain, address }, unstored))
    return true
  }

  function report({ chain, key: protocol }: ProtocolDeployment, address: EvmAddress, why: string): void {
    dropped += 1
    log.warn({ chain, protocol, address }, `an unlisted contract was dropped from a protocol: ${why}`)
  }

  return { recognise, judgeAgain, isDropped, dropped: () => dropped }
}
