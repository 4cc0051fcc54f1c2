import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /** Holds collateral and debts. */
  vat: addressSchema,
  /** Accrues fees. */
  jug: addressSchema,
  /** Holds savings. */
  pot: addressSchema,
  dsrManager: addressSchema,
  cdpManager: addressSchema,
  ilkRegistry: addressSchema,
  proxyFactory: addressSchema,
  dai: addressSchema,
  /** Further tokens of debts. */
  alsoLent: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
