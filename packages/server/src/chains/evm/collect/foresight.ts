import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { PlannedCall } from '../reader/evm-reader.ts'

const LEAST_SHARE = 0.25
const LEAST_WALLETS = 4
/** Wallets, after which all counts are halved: demand changes. */
const HALVED_AFTER = 256
const MOST_COUNTED = 4_000
const MOST_FORESEEN = 64
const MOST_BYTES = 16_000

const WALLET = '{wallet}'

type Counted = { call: PlannedCall; wallets: number }
type ChainCalls = { wallets: number; byKey: Map<string, Counted>; foreseen: readonly PlannedCall[] | undefined }

export type Foresight = ReturnType<typeof createForesight>

/** Predicts a wallet's later calls from other wallets, for its first batch. Wrong guesses only cost speed. */
export function createForesight() {
  const chains = new Map<string, ChainCalls>()

  function callsOf(chain: string): ChainCalls {
    const known = chains.get(chain) ?? { wallets: 0, byKey: new Map(), foreseen: undefined }
    chains.set(chain, known)
    return known
  }

  return {
    planOf(chain: string, wallet: EvmAddress): PlannedCall[] {
      const calls = callsOf(chain)
      calls.foreseen ??= foreseenOf(calls)
      return calls.foreseen.map((call) => ({
        ...call,
        data: call.data.replaceAll(WALLET, wallet.slice(2)) as `0x${string}`,
      }))
    },
    note(chain: string, wallet: EvmAddress, plan: readonly PlannedCall[]): void {
      const calls = callsOf(chain)
      calls.foreseen = undefined
      calls.wallets += 1
      for (const planned of plan) {
        // A stand-in call runs as the wallet itself, in its own program.
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
