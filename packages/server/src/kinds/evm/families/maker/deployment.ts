import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Maker on its chain. */
export const deployment = z.strictObject({
  /** Keeps collateral and debts. */
  vat: addressSchema,
  /** Accrues fees. */
  jug: addressSchema,
  /** Keeps savings. */
  pot: addressSchema,
  /** Keeps savings of wallets without a proxy. */
  dsrManager: addressSchema,
  /** Numbers CDPs, and knows whose they are. */
  cdpManager: addressSchema,
  /** Knows the token of each kind of collateral. */
  ilkRegistry: addressSchema,
  /** Makes the proxies by which most wallets have their CDPs. */
  proxyFactory: addressSchema,
  dai: addressSchema,
  /** Other tokens in which debts are paid out and repaid. */
  alsoLent: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
