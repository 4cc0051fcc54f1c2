import type { Config, Params } from './params.ts'

/** `configAt`: position of settings with `minContextSlot`. */
type Method = { configAt?: number; run(params: Params, config: Config): unknown }
export type Methods = Readonly<Record<string, Method>>

const API_VERSION = '3.0.0'

export const inContext = (slot: bigint, value: unknown) => ({ context: { apiVersion: API_VERSION, slot }, value })

export const VERSION = { 'solana-core': API_VERSION, 'feature-set': 0 }
