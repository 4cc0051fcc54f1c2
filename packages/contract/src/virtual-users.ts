import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'

/** A virtual user as requests and answers name it: `virtual:<id>`, compared as written. */
export type VirtualAddress = `virtual:${string}`

/** `BALANCE`: holdings kept by hand. `CEX`: an account at an exchange. */
export const virtualUserType = z.enum(['BALANCE', 'CEX'])
export type VirtualUserType = z.infer<typeof virtualUserType>

export const virtualUser = z.object({
  address: z.string().meta({ description: '`virtual:<id>`' }),
  type: virtualUserType,
  label: z.string(),
})

const shared = {
  method: 'GET',
  tag: 'Virtual users',
  status: 200,
  bucket: 'portfolio',
  requires: 'pro',
  errors: 'titled',
} as const

export const virtualUserEndpoints = defineEndpoints({
  listVirtualUsers: {
    ...shared,
    path: '/v1/virtual-users',
    summary: "The account's virtual users, oldest first",
    cost: 1,
    response: z.array(virtualUser),
  },
})
