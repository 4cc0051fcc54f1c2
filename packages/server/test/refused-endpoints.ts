import type { Env } from '../src/config/env.ts'

/** Settings that prevent the start; the error must not print addresses. */
export const refusedAtStart: readonly { name: string; env: Env; said: string }[] = [
  {
    name: 'a WebSocket (`ws://`, `wss://`)',
    env: { COFFER_RPC_ETHEREUM: 'https://a.example,wss://b.example/hunter2' },
    said: 'COFFER_RPC_ETHEREUM has an entry (number 2) that is not an http or https URL',
  },
  {
    name: 'the path of an IPC socket',
    env: { COFFER_RPC_ETHEREUM: '/var/lib/hunter2/geth.ipc' },
    said: 'COFFER_RPC_ETHEREUM has an entry (number 1) that is not an http or https URL',
  },
  {
    name: 'a host without a scheme',
    env: { COFFER_CHAINS: 'solana', COFFER_RPC_SOLANA: 'hunter2.example:8899' },
    said: 'COFFER_RPC_SOLANA has an entry (number 1) that is not an http or https URL',
  },
  {
    name: 'one endpoint twice',
    env: { COFFER_RPC_ETHEREUM: 'https://hunter2.example,https://hunter2.example' },
    said: 'COFFER_RPC_ETHEREUM names the same endpoint twice',
  },
  {
    name: 'an endpoint of a chain that is not enabled',
    env: { COFFER_CHAINS: 'ethereum', COFFER_RPC_BASE: 'https://hunter2.example' },
    said: 'COFFER_RPC_BASE is set, but base is not one of the enabled chains: add it to COFFER_CHAINS',
  },
]

/** Asked only for their proof of chain, and named in readiness. */
export const WRONG_CHAINS = [
  'another chain id',
  'another first block under the same chain id',
  'another genesis hash (Solana)',
] as const
