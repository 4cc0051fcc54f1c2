import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { PlannedCall } from '../reader/evm-reader.ts'

/** A call is foreseen if so many of the wallets that were read for the first time asked for it after the first wave. */
const LEAST_SHARE = 0.25
/** Wallets that have to be known first. */
const LEAST_WALLETS = 4
/** After so many wallets all counts are halved: what wallets ask changes. */
const HALVED_AFTER = 256
/** Calls that are counted for a chain; those counted least are dropped. */
const MOST_COUNTED = 4_000
/** What a first wave carries beside what its wallet asks: calls, and bytes of their input. */
const MOST_FORESEEN = 64
const MOST_BYTES = 16_000

/** Stands for the wallet's address in a call. */
const WALLET = '{wallet}'

type Counted = { call: PlannedCall; wallets: number }
type ChainCalls = { wallets: number; byKey: Map<string, Counted>; foreseen: readonly PlannedCall[] | undefined }

/**
 * Which calls a wallet that was never read will need after its first wave, by what other such wallets of the chain asked:
 * prices of what many hold, positions in what many use. They leave with the first wave, so that most wallets take one trip.
 * A guess, for speed alone: what was not foreseen is asked later, and what was foreseen in vain is not used.
 */
export function createForesight() {
  const chains = new Map<string, ChainCalls>()

  function callsOf(chain: string): ChainCalls {
    const known = chains.get(chain) ?? { wallets: 0, byKey: new Map(), foreseen: undefined }
    chains.set(chain, known)
    return known
  }

  return {
    /** What a first read of the wallet should ask ahead. */
    planOf(chain: string, wallet: EvmAddress): PlannedCall[] {
      const calls = callsOf(chain)
      calls.foreseen ??= foreseenOf(calls)
      return calls.foreseen.map((call) => ({
        ...call,
        data: call.data.replaceAll(WALLET, wallet.slice(2)) as `0x${string}`,
      }))
    },
    /** Notes what the first read of a wallet asked after its first wave. */
    note(chain: string, wallet: EvmAddress, plan: readonly PlannedCall[]): void {
      const calls = callsOf(chain)
      calls.foreseen = undefined
      calls.wallets += 1
      for (const planned of plan) {
        // It comes from the wallet itself, in a program of its own.
        if (planned.standIn) continue
        const data = planned.data.replaceAll(wallet.slice(2), WALLET) as `0x${string}`
        const key = `${planned.to}${data}`
        const known = calls.byKey.get(key)
        calls.byKey.set(key, { call: { ...planned, data }, wallets: (known?.wallets ?? 0) + 1 })
      }
      if (calls.wallets >= HALVED_AFTER || calls.byKey.size > MOST_COUNTED) halve(calls)
    },
  }
}

function foreseenOf({ wallets, byKey }: ChainCalls): PlannedCall[] {
  if (wallets < LEAST_WALLETS) return []
  const often = [...byKey.values()].filter((counted) => counted.wallets >= wallets * LEAST_SHARE)
  const foreseen: PlannedCall[] = []
  let bytes = 0
  for (const { call } of often.toSorted((one, other) => other.wallets - one.wallets).slice(0, MOST_FORESEEN)) {
    bytes += call.data.length / 2
    if (bytes > MOST_BYTES) break
    foreseen.push(call)
  }
  return foreseen
}

function halve(calls: ChainCalls): void {
  calls.wallets = Math.ceil(calls.wallets / 2)
  for (const [key, counted] of calls.byKey) {
    counted.wallets /= 2
    if (counted.wallets < 1) calls.byKey.delete(key)
  }
}
