import { concat, type Hex, pad, toHex } from 'viem'
import { APPROVAL, TRANSFER } from '../src/chains/evm/logs/logs.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { LocalNode } from './local-node.ts'

/**
 * Logs one event per 128 bytes of calldata: three topics (the first 96 bytes) and 32 bytes of data. `for (i = 0; i <
 * calldatasize; i += 128) { mstore(0, calldataload(i + 96)); log3(…) }`
 */
const CODE = '0x60005b80361115602957806060013560005280604001358160200135823560206000a36080016002565b00'

export type LoggedEvent = { event: 'approval' | 'transfer'; owner: EvmAddress; other: EvmAddress; amount: bigint }

const sender: EvmAddress = '0x000000000000000000000000000000000000c0de'

export function eventLogger(node: Pick<LocalNode, 'send' | 'sendAll'>, contract: EvmAddress) {
  return {
    async deploy(): Promise<void> {
      await node.sendAll([
        ['anvil_setCode', contract, CODE],
        ['anvil_impersonateAccount', sender],
        ['anvil_setBalance', sender, toHex(10n ** 24n)],
      ])
    },

    /** One transaction in its own block. */
    async log(...events: readonly LoggedEvent[]): Promise<Hex> {
      const data = concat(
        events.flatMap(({ event, owner, other, amount }) => [
          event === 'approval' ? APPROVAL : TRANSFER,
          pad(owner),
          pad(other),
          pad(toHex(amount)),
        ]),
      )
      const gas = toHex(100_000 + 3_000 * events.length + 40 * 128 * events.length)
      const hash = await node.send<Hex>('eth_sendTransaction', {
        from: sender,
        to: contract,
        data,
        gas,
        gasPrice: '0x0',
      })
      // The node returns the hash before the block exists.
      while ((await node.send<object | null>('eth_getTransactionReceipt', hash)) === null) {}
      return hash
    },
  }
}
