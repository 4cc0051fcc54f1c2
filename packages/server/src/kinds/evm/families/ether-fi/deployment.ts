import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** What a row says of ether.fi's own tokens and queue. */
export const deployment = z.strictObject({
  eEth: addressSchema,
  weEth: addressSchema,
  /** Issues eETH for coin, and takes it for requests. */
  liquidityPool: addressSchema,
  /** Issues an NFT for each request. */
  withdrawRequestNft: addressSchema,
  /** Takes weETH for requests. */
  withdrawAdapter: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
